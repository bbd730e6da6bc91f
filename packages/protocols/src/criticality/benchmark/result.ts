import { z } from "zod";
import { tierSchema } from "../escalation/attempts.ts";
import { BENCHMARK_LEVELS } from "./suite/case.ts";

const count = z.int().min(0);
const amount = z.number().min(0);

/** What became of one case. */
export const caseResultSchema = z.strictObject({
  case: z.string(),
  passed: z.boolean(),
  /** It passed, and no function needed a second attempt. */
  first_pass: z.boolean(),
  /** The highest tier that it needed; null if it did not pass. */
  tier: tierSchema.nullable(),
  /** Why it did not pass. */
  reason: z.string().nullable(),
  functions: count,
  attempts: count,
  tokens_in: count,
  tokens_out: count,
  cost_usd: amount,
  /** Time of the models. */
  duration_ms: amount,
  /** Providers that answered in place of the assigned ones, each with its role. */
  substitutes: z.array(z.string()),
});

export type CaseResult = z.output<typeof caseResultSchema>;

/** Models by role, as `provider:model`; without a model the provider chooses. */
export const benchmarkModelsSchema = z.record(z.string(), z.string());
export type BenchmarkModels = z.output<typeof benchmarkModelsSchema>;

/** What a result is a result of. Only results of the same subject are compared over time. */
export const benchmarkSubjectSchema = z.strictObject({
  level: z.enum(BENCHMARK_LEVELS),
  suite: z.string(),
  /** Where the attempts begin: above the worker if a model of a higher tier is measured. */
  first_tier: tierSchema,
  models: benchmarkModelsSchema,
});

export type BenchmarkSubject = z.output<typeof benchmarkSubjectSchema>;

export interface LevelResult extends BenchmarkSubject {
  readonly cases: readonly CaseResult[];
}

export interface ResultSummary {
  readonly cases: number;
  readonly passed: number;
  readonly pass_rate: number;
  readonly first_pass_rate: number;
  readonly attempts: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly mean_cost_usd: number;
  readonly duration_ms: number;
}

export function summaryOf(cases: readonly CaseResult[]): ResultSummary {
  const sum = (of: (one: CaseResult) => number) => cases.reduce((total, one) => total + of(one), 0);
  const share = (of: (one: CaseResult) => boolean) => cases.filter(of).length / Math.max(1, cases.length);
  return {
    cases: cases.length,
    passed: cases.filter(({ passed }) => passed).length,
    pass_rate: share(({ passed }) => passed),
    first_pass_rate: share(({ first_pass }) => first_pass),
    attempts: sum(({ attempts }) => attempts),
    tokens_in: sum(({ tokens_in }) => tokens_in),
    tokens_out: sum(({ tokens_out }) => tokens_out),
    mean_cost_usd: sum(({ cost_usd }) => cost_usd) / Math.max(1, cases.length),
    duration_ms: sum(({ duration_ms }) => duration_ms),
  };
}
