import { canonicalJson, type Json } from "@slipway/durable/canonical";
import type { Selectable } from "kysely";
import { preparedQueryWith } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { Records } from "../../../record/storage.ts";
import { countChecks, passedOn, type WantedRun } from "./gate-queries.ts";
import type { EvidenceTables } from "./tables.ts";

type Row = Selectable<EvidenceTables["checks"]>;

/** One row of evidence. `kind` "mode" is the verdict over a whole gate mode; each step has its own row. */
export interface Check extends Omit<Row, "counts"> {
  readonly counts: Json;
}

export type NewCheck = Omit<Row, "counts" | "produced_by"> & { readonly counts: unknown };

const insertCheck = preparedQueryWith((db, row: Row) => db.insertInto("checks").values(row));

/** Only for observations of the harness itself, never for claims of an agent. */
export async function recordCheck(tx: Tx, { counts, ...check }: NewCheck): Promise<void> {
  await insertCheck(tx, { ...check, counts: counts === null ? null : canonicalJson(counts), produced_by: "harness" });
}

export async function checksOf(
  db: Db | Tx,
  { feature_id, tree }: { readonly feature_id: string; readonly tree?: string },
): Promise<Check[]> {
  let query = db.selectFrom("checks").selectAll().where("feature_id", "=", feature_id);
  if (tree !== undefined) query = query.where("tree", "=", tree);
  const rows = await query.orderBy("at").orderBy("id").execute();
  return rows.map((row) => ({ ...row, counts: row.counts === null ? null : (JSON.parse(row.counts) as Json) }));
}

/** What a protocol may rely on as observed by the harness. */
export type HarnessCheck = Pick<
  Check,
  "id" | "feature_id" | "name" | "kind" | "tree" | "status" | "exit_code" | "counts" | "log_digest" | "at"
>;

/** The rows with these ids, in their order, each once. An id without a row is left out. */
export async function harnessChecks(on: Db | Tx, ids: readonly string[]): Promise<HarnessCheck[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const columns = ["id", "feature_id", "name", "kind", "tree", "status", "exit_code", "counts", "log_digest", "at"] as const;
  const rows = await on.selectFrom("checks").select(columns).where("id", "in", wanted).execute();
  const found = new Map(rows.map((row) => [row.id, { ...row, counts: row.counts === null ? null : (JSON.parse(row.counts) as Json) }]));
  return wanted.flatMap((id) => found.get(id) ?? []);
}

/** Number of checks of all features, by result. */
export async function checkCounts({ database: { db } }: Pick<Records, "database">): Promise<ReturnType<typeof countChecks>> {
  return countChecks(await db.selectFrom("checks").select("status").execute());
}

/** Whether the mode of the feature's own gate profile passed on the tree; results of other profiles do not count. */
export async function modePassed(
  db: Db | Tx,
  { feature_id, mode, tree, policy }: WantedRun & { readonly feature_id: string },
): Promise<boolean> {
  const feature = await db.selectFrom("features").select("gate_profile").where("id", "=", feature_id).executeTakeFirst();
  return passedOn(await checksOf(db, { feature_id, tree }), { mode, tree, policy, profile: feature?.gate_profile });
}
