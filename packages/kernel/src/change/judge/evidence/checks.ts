import { canonicalJson, type Json } from "@slipway/durable/canonical";
import type { Selectable } from "kysely";
import { preparedQueryWith } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { Records } from "../../../record/storage.ts";
import { assertUntouched, rowFault } from "../../../record/facts/compare.ts";
import { recordFact } from "../../../record/facts/collect.ts";
import { journalFacts, type JournalFacts } from "../../../record/facts/read-back.ts";
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
  const row: Row = { ...check, counts: counts === null ? null : canonicalJson(counts), produced_by: "harness" };
  await insertCheck(tx, row);
  recordFact(tx, "checks", row.id, row);
}

interface Wanted {
  readonly feature_id: string;
  readonly tree?: string;
}

/** The rows as they are in the table, for showing. What decides anything uses `provenChecks`. */
export async function checksOf(db: Db | Tx, wanted: Wanted): Promise<Check[]> {
  return (await rowsOf(db, wanted)).map(parsed);
}

/** A check as the journal recorded it. */
export interface ProvenCheck extends Check {
  /** Recorded before rows were bound to the journal; no gate counts that ran then. */
  readonly former: boolean;
}

/** The rows after each was compared with the journal. Throws `evidence_tampered` and names the first that differs. */
export async function provenChecks(db: Db | Tx, wanted: Wanted, facts?: JournalFacts): Promise<ProvenCheck[]> {
  const rows = await rowsOf(db, wanted);
  if (rows.length === 0) return [];
  const recorded = facts ?? (await journalFacts(db));
  assertUntouched(rows.map((row) => rowFault(recorded, "checks", row.id, row)));
  return rows.map((row) => ({ ...parsed(row), former: recorded.about("checks", row.id)?.former === true }));
}

function rowsOf(db: Db | Tx, { feature_id, tree }: Wanted): Promise<Row[]> {
  let query = db.selectFrom("checks").selectAll().where("feature_id", "=", feature_id);
  if (tree !== undefined) query = query.where("tree", "=", tree);
  return query.orderBy("at").orderBy("id").execute();
}

function parsed(row: Row): Check {
  return { ...row, counts: row.counts === null ? null : (JSON.parse(row.counts) as Json) };
}

/** What a protocol may rely on as observed by the harness. */
export type HarnessCheck = Pick<
  Check,
  "id" | "feature_id" | "name" | "kind" | "tree" | "status" | "exit_code" | "counts" | "log_digest" | "at"
>;

/** The rows with these ids, in their order, each once, compared with the journal. An id without a row is left out. */
export async function harnessChecks(on: Db | Tx, ids: readonly string[]): Promise<HarnessCheck[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const rows = await on.selectFrom("checks").selectAll().where("id", "in", wanted).execute();
  const facts = await journalFacts(on);
  assertUntouched(rows.map((row) => rowFault(facts, "checks", row.id, row)));
  const found = new Map(rows.map((row) => [row.id, shown(row)]));
  return wanted.flatMap((id) => found.get(id) ?? []);
}

function shown(row: Row): HarnessCheck {
  const { run_id: _run, produced_by: _by, ...check } = parsed(row);
  return check;
}

/** Number of checks of all features, by result. */
export async function checkCounts({ database: { db } }: Pick<Records, "database">): Promise<ReturnType<typeof countChecks>> {
  return countChecks(await db.selectFrom("checks").select("status").execute());
}

/** Whether the mode of the feature's own gate profile passed on the tree; results of other profiles do not count. */
export async function modePassed(
  db: Db | Tx,
  { feature_id, mode, tree, policy }: WantedRun & { readonly feature_id: string },
  facts?: JournalFacts,
): Promise<boolean> {
  const feature = await db.selectFrom("features").select("gate_profile").where("id", "=", feature_id).executeTakeFirst();
  const checks = (await provenChecks(db, { feature_id, tree }, facts)).filter(({ former }) => !former);
  return passedOn(checks, { mode, tree, policy, profile: feature?.gate_profile });
}
