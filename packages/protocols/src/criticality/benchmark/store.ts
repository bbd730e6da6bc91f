import { canonicalJson } from "@slipway/durable/canonical";
import type { Db } from "@slipway/kernel/record/database/tables";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Door } from "@slipway/kernel/record/operations/door";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";
import { benchmarkModelsSchema, benchmarkSubjectSchema, caseResultSchema, type BenchmarkSubject, type LevelResult } from "./result.ts";

const resultsInput = z.strictObject({
  run_id: z.string(),
  levels: z.array(z.strictObject({ ...benchmarkSubjectSchema.shape, cases: z.array(caseResultSchema) })),
});

type ResultsInput = z.output<typeof resultsInput>;

/** Rows are only added. All levels of a run are stored together, or none. */
const storeResults: Operation<ResultsInput, undefined, null> = {
  name: "criticality.benchmark",
  roles: ["orchestrator", "system"],
  input: resultsInput,
  commit: async (tx, { run_id, levels }, _effect, { at }) => {
    const rows = levels.map(({ level, suite, first_tier, models, cases }) => ({
      run_id,
      level,
      suite,
      first_tier,
      models: canonicalJson(models),
      cases: JSON.stringify(cases),
      at,
    }));
    await tx.insertInto("criticality_benchmarks").values(rows).execute();
    return null;
  },
  event: ({ run_id, levels }) => ({
    run_id,
    levels: levels.map(({ level, cases }) => ({ level, passed: cases.filter((one) => one.passed).length })),
  }),
};

export function writeResults(door: Pick<Door, "perform">, { actor, operationId }: Call, input: ResultsInput): Promise<null> {
  return door.perform(storeResults, actor, operationId, input);
}

export interface StoredResult extends LevelResult {
  readonly run_id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The last result of this subject that another run has stored. */
export async function lastResult(
  db: Db,
  { level, suite, first_tier, models }: BenchmarkSubject,
  but: string | null,
): Promise<StoredResult | null> {
  const row = await db
    .selectFrom("criticality_benchmarks")
    .selectAll()
    .where("level", "=", level)
    .where("suite", "=", suite)
    .where("first_tier", "=", first_tier)
    .where("models", "=", canonicalJson(models))
    .where("run_id", "!=", but ?? "")
    .orderBy("at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : storedResult(row);
}

/** Every stored result, the oldest first. */
export async function allResults(db: Db): Promise<StoredResult[]> {
  const rows = await db.selectFrom("criticality_benchmarks").selectAll().orderBy("at").orderBy("run_id").orderBy("level").execute();
  return rows.map(storedResult);
}

interface BenchmarkRow {
  readonly run_id: string;
  readonly level: string;
  readonly suite: string;
  readonly first_tier: string;
  readonly models: string;
  readonly cases: string;
  readonly at: number;
}

function storedResult({ run_id, level, suite, first_tier, models, cases, at }: BenchmarkRow): StoredResult {
  const subject = benchmarkSubjectSchema.parse({ level, suite, first_tier, models: benchmarkModelsSchema.parse(JSON.parse(models)) });
  return { ...subject, run_id, at: Number(at), cases: z.array(caseResultSchema).parse(JSON.parse(cases)) };
}
