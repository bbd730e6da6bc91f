import { canonicalJson } from "@slipway/durable/canonical";
import type { Failure } from "@slipway/durable/errors";
import type { Selectable } from "kysely";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { TestCounts } from "../gates/coverage.ts";
import type { RecordedStep } from "../gates/store.ts";
import type { TrialTables } from "./tables.ts";

type Row = Selectable<TrialTables["trials"]>;

export interface TrialCounts {
  readonly tests: TestCounts | null;
  readonly coverage: { readonly line: number | null; readonly branch: number | null } | null;
  /** The object with the names of the tests that ran; missing in old trials and without a report. */
  readonly ran?: string | null;
}

export interface TrialRecord extends Omit<Row, "failure" | "steps" | "counts"> {
  readonly failure: Failure | null;
  readonly steps: readonly RecordedStep[];
  readonly counts: TrialCounts;
}

export async function recordTrial(tx: Tx, { failure, steps, counts, ...trial }: TrialRecord): Promise<void> {
  const json = { failure: failure === null ? null : canonicalJson(failure), steps: canonicalJson(steps), counts: canonicalJson(counts) };
  await tx
    .insertInto("trials")
    .values({ ...trial, ...json })
    .execute();
}

/**
 * The last result under this key, unless it failed. A failed trial is repeated: its fix, such as a newly installed module, may not be part
 * of the key.
 */
export async function rememberedTrial(db: Db, key: string): Promise<TrialRecord | null> {
  const row = await db
    .selectFrom("trials")
    .selectAll()
    .where("key", "=", key)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .executeTakeFirst();
  return row === undefined || row.status === "fail" ? null : recordOf(row);
}

/** The latest trials of these trees that did not fail. */
export async function trialsOf(db: Db, trees: readonly string[]): Promise<TrialRecord[]> {
  const query = db.selectFrom("trials").selectAll().where("tree", "in", trees).where("status", "!=", "fail");
  return (await query.orderBy("at", "desc").orderBy("id", "desc").limit(MOST_TRIALS).execute()).map(recordOf);
}

const MOST_TRIALS = 100;

function recordOf(row: Row): TrialRecord {
  return {
    ...row,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    steps: JSON.parse(row.steps) as RecordedStep[],
    counts: JSON.parse(row.counts) as TrialCounts,
  };
}
