import type { Selectable } from "kysely";
import { preparedQuery } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { ENDED } from "../../feature/status.ts";
import { dropClaims } from "../../plan/claims-store.ts";
import type { Plan } from "../../plan/schema.ts";
import type { QueueTables } from "./tables.ts";

type Row = Selectable<QueueTables["blocked_queue"]>;

export interface QueueEntry {
  readonly feature_id: string;
  readonly plan: Plan;
  readonly detected_at: number;
  readonly collision_fingerprint: string;
  readonly required_resources: readonly string[];
  readonly waits_for: readonly string[];
  readonly base_commit: string;
  readonly files_at_base: readonly string[];
}

/** In the order of the queue. */
export async function queuedEntries(db: Db | Tx): Promise<QueueEntry[]> {
  const rows = await entryRows(db);
  return rows.map(entryOf);
}

/** An entry as the index shows it, without the plan. */
export interface QueuePlace {
  readonly feature_id: string;
  readonly plan_version: number;
  readonly detected_at: number;
  readonly collision_fingerprint: string;
  readonly required_resources: readonly string[];
}

const entryRows = preparedQuery((db) => db.selectFrom("blocked_queue").selectAll().orderBy("detected_at").orderBy("feature_id"));
const entryRow = preparedQuery((db, feature: string) => db.selectFrom("blocked_queue").selectAll().where("feature_id", "=", feature));
const deleteEntry = preparedQuery((db, feature: string) => db.deleteFrom("blocked_queue").where("feature_id", "=", feature));
const statusRow = preparedQuery((db, feature: string) => db.selectFrom("features").select("status").where("id", "=", feature));

const placeRows = preparedQuery((db) =>
  db
    .selectFrom("blocked_queue")
    .select(["feature_id", "plan_version", "detected_at", "collision_fingerprint", "required_resources"])
    .orderBy("detected_at")
    .orderBy("feature_id"),
);

export async function queuedPlaces(db: Db | Tx): Promise<QueuePlace[]> {
  const rows = await placeRows(db);
  return rows.map((row) => ({ ...row, required_resources: JSON.parse(row.required_resources) as string[] }));
}

export async function queuedEntry(db: Db | Tx, feature: string): Promise<QueueEntry | null> {
  const [row] = await entryRow(db, feature);
  return row === undefined ? null : entryOf(row);
}

/** Replaces the feature's entry, if it has one. */
export async function putEntry(tx: Tx, entry: QueueEntry): Promise<void> {
  const row: Row = {
    ...entry,
    plan_version: entry.plan.plan_version,
    plan: JSON.stringify(entry.plan),
    required_resources: JSON.stringify(entry.required_resources),
    waits_for: JSON.stringify(entry.waits_for),
    files_at_base: JSON.stringify(entry.files_at_base),
    recheck: 0,
  };
  await tx
    .insertInto("blocked_queue")
    .values(row)
    .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
    .execute();
}

export async function removeEntry(tx: Tx, feature: string): Promise<void> {
  await deleteEntry(tx, feature);
}

/**
 * Call this when a feature's locks or plan have changed, or when it has ended. Entries that wait for it are reconsidered before the
 * transaction ends. A feature that is no longer blocked, or deleted, leaves the queue.
 */
export async function wakeQueue(tx: Tx, feature: string): Promise<void> {
  const [row] = await statusRow(tx, feature);
  if (row === undefined || ENDED.includes(row.status)) await dropClaims(tx, feature);
  if (row?.status !== "blocked") await removeEntry(tx, feature);
  await wakeEntries(tx, ({ feature_id, waits_for }) => feature_id === feature || waits_for.includes(feature));
}

export async function wakeEntries(tx: Tx, which: (entry: QueueEntry) => boolean): Promise<void> {
  for (const entry of await queuedEntries(tx)) if (which(entry)) await setRecheck(tx, entry.feature_id, 1);
}

const wokenRow = preparedQuery((db) =>
  db.selectFrom("blocked_queue").selectAll().where("recheck", "=", 1).orderBy("detected_at").orderBy("feature_id").limit(1),
);

/** Takes the first woken entry and clears its flag. */
export async function nextWoken(tx: Tx): Promise<QueueEntry | null> {
  const [row] = await wokenRow(tx);
  if (row === undefined) return null;
  await setRecheck(tx, row.feature_id, 0);
  return entryOf(row);
}

async function setRecheck(tx: Tx, feature: string, recheck: 0 | 1): Promise<void> {
  await tx.updateTable("blocked_queue").set({ recheck }).where("feature_id", "=", feature).execute();
}

function entryOf({ plan_version: _version, recheck: _recheck, ...row }: Row): QueueEntry {
  return {
    ...row,
    plan: JSON.parse(row.plan) as Plan,
    required_resources: JSON.parse(row.required_resources) as string[],
    waits_for: JSON.parse(row.waits_for) as string[],
    files_at_base: JSON.parse(row.files_at_base) as string[],
  };
}
