import { canonicalJson } from "@slipway/durable/canonical";
import type { Selectable } from "kysely";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { QaEntry } from "./align.ts";
import type { QaItem, QaTestIndex } from "./schema.ts";
import type { QaTables } from "./tables.ts";

/** An index as stored, with the content of each hunk. */
export interface StoredIndex {
  /** 0 before the first patch. */
  readonly version: number;
  readonly source_diff_ref: string;
  readonly entries: readonly QaEntry[];
}

export interface IndexedFeature {
  readonly id: string;
  readonly base_commit: string;
  readonly tree: string;
}

export function diffRef({ base_commit, tree }: Omit<IndexedFeature, "id">): string {
  return `${base_commit}..${tree}`;
}

export async function readIndex(db: Db | Tx, feature: IndexedFeature): Promise<StoredIndex> {
  const row = await db.selectFrom("qa_indexes").selectAll().where("feature_id", "=", feature.id).executeTakeFirst();
  if (row === undefined) return { version: 0, source_diff_ref: diffRef(feature), entries: [] };
  const items = await db.selectFrom("qa_items").selectAll().where("feature_id", "=", feature.id).orderBy("position").execute();
  return { version: row.version, source_diff_ref: row.source_diff_ref, entries: items.map(entryOf) };
}

/** Writes the index if it has changed, and increments its version. */
export async function writeIndex(
  tx: Tx,
  feature_id: string,
  before: StoredIndex,
  next: Omit<StoredIndex, "version">,
): Promise<StoredIndex> {
  const { version, ...content } = before;
  if (version > 0 && canonicalJson(content) === canonicalJson(next)) return before;
  const row = { version: version + 1, source_diff_ref: next.source_diff_ref };
  await tx
    .insertInto("qa_indexes")
    .values({ feature_id, ...row })
    .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
    .execute();
  await tx.deleteFrom("qa_items").where("feature_id", "=", feature_id).execute();
  for (const [position, entry] of next.entries.entries())
    await tx
      .insertInto("qa_items")
      .values(rowOf(feature_id, position, entry))
      .execute();
  return { ...next, version: row.version };
}

/** The index as published. */
export function shownIndex(feature_id: string, { version, source_diff_ref, entries }: StoredIndex): QaTestIndex {
  return { feature_id, version, source_diff_ref, items: entries.map(itemOf) };
}

function itemOf({ path, hunk, required_tests, status, last_run_at, evidence_refs }: QaEntry): QaItem {
  return {
    path,
    hunks: [hunk],
    required_tests,
    status,
    ...(last_run_at !== undefined && { last_run_at }),
    ...(evidence_refs !== undefined && { evidence_refs }),
  };
}

function entryOf(row: Selectable<QaTables["qa_items"]>): QaEntry {
  const { path, key, start_line, end_line, change_type, status, last_run_at } = row;
  return {
    path,
    key,
    hunk: { start_line, end_line, change_type },
    required_tests: JSON.parse(row.required_tests) as string[],
    status,
    ...(last_run_at !== null && { last_run_at }),
    ...(row.evidence_refs !== null && { evidence_refs: JSON.parse(row.evidence_refs) as string[] }),
  };
}

function rowOf(feature_id: string, position: number, entry: QaEntry): Selectable<QaTables["qa_items"]> {
  const { path, key, hunk, required_tests, status, last_run_at = null, evidence_refs = null } = entry;
  return {
    feature_id,
    position,
    path,
    key,
    ...hunk,
    required_tests: JSON.stringify(required_tests),
    status,
    last_run_at,
    evidence_refs: evidence_refs === null ? null : JSON.stringify(evidence_refs),
  };
}
