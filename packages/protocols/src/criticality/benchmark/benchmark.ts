import { workflow, type Ctx } from "@slipway/durable/ctx";
import type { RunAgents } from "../../dispatch/run-agents.ts";
import type { InjectionTier } from "../escalation/attempts.ts";
import type { CriticalityServicesOfRun } from "../protocol.ts";
import { caseStep } from "./case-step.ts";
import { judgeCandidate, regressionsIn, type CandidateVerdict } from "./compare-results.ts";
import { summaryOf, type BenchmarkModels, type BenchmarkSubject, type CaseResult, type LevelResult, type ResultSummary } from "./result.ts";
import { benchmarkCase } from "./run-case.ts";
import { lastResult, writeResults, type StoredResult } from "./store.ts";
import { BENCHMARK_LEVELS, type BenchmarkLevel } from "./suite/case.ts";
import { SUITE } from "./suite/suite.ts";

export interface BenchmarkInput {
  /** Ids. */
  readonly cases: readonly string[];
  /** The versions of these cases by level. */
  readonly levels: Readonly<Partial<Record<BenchmarkLevel, string>>>;
  readonly first_tier: InjectionTier;
  readonly models: BenchmarkModels;
  readonly candidate: CandidateInput | null;
  readonly config_text: string | null;
  readonly agents: RunAgents;
}

/** A model that is tried in place of the one that the configuration names. */
export interface CandidateInput {
  readonly role: string;
  readonly model: string;
  /** The assignment without the candidate. */
  readonly current: BenchmarkModels;
  /** What has to change in the configuration if the candidate is adopted. */
  readonly change: string;
}

export interface MeasuredLevel extends LevelResult {
  readonly summary: ResultSummary;
  /** The run of the last result with the same suite and the same models. */
  readonly before: string | null;
  /** In which ways it is worse than that. */
  readonly regressions: readonly string[];
}

export interface CandidateReport extends CandidateInput, CandidateVerdict {
  readonly measured: { readonly current: ResultSummary; readonly candidate: ResultSummary };
}

export interface MeasuredResult {
  readonly status: "measured";
  readonly levels: readonly MeasuredLevel[];
  /** Providers that answered in place of assigned ones. Then nothing is stored or compared. */
  readonly substitutes: readonly string[];
  readonly candidate: CandidateReport | null;
}

export type BenchmarkResult = MeasuredResult | { readonly status: "given_up"; readonly reason: string };

/** Each case has a compiler and a sandbox of its own. */
const CASES_AT_ONCE = 2;

/** Runs the suite with the models of the run, then stores the results. A run that does not reach its end stores nothing. */
export const benchmark = workflow<BenchmarkInput, BenchmarkResult, CriticalityServicesOfRun>("criticality-benchmark", "1", measure);

async function measure(ctx: Ctx, input: BenchmarkInput, services: CriticalityServicesOfRun): Promise<BenchmarkResult> {
  const { first_tier, config_text, agents, candidate } = input;
  const cases = SUITE.filter(({ id }) => input.cases.includes(id));
  const outcomes = await ctx.all(
    cases.map(
      ({ id }) =>
        () =>
          ctx.child(caseStep(id), benchmarkCase, { case: id, first_tier, config_text, agents }),
    ),
    { limit: CASES_AT_ONCE },
  );
  const givenUp = outcomes.find((outcome) => outcome.status === "given_up");
  if (givenUp !== undefined) return givenUp;
  const results = outcomes.flatMap((outcome) => (outcome.status === "measured" ? [outcome.result] : []));
  const levels = subjectsOf(input).map((subject) => ({
    ...subject,
    cases: results.filter((result) => result.case.startsWith(`${subject.level}/`)),
  }));
  const substitutes = [...new Set(results.flatMap((result) => result.substitutes))];
  if (substitutes.length > 0)
    return { status: "measured", substitutes, candidate: null, levels: levels.map((level) => compared(level, null)) };
  return ctx.step("store", async () => {
    const { records } = services.kernel;
    const { db } = records.database;
    const before = await Promise.all(levels.map((level) => lastResult(db, level, ctx.runId)));
    const current =
      candidate === null ? [] : await Promise.all(subjectsOf(input, candidate.current).map((one) => lastResult(db, one, ctx.runId)));
    const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const;
    await writeResults(records.door, { actor, operationId: `${ctx.runId}/store` }, { run_id: ctx.runId, levels });
    return {
      status: "measured" as const,
      substitutes,
      levels: levels.map((level, index) => compared(level, before[index] ?? null)),
      candidate: candidate === null ? null : reportOf(candidate, current, levels),
    };
  });
}

/** What the levels of a run are results of, with the models of the run or with others. */
export function subjectsOf(
  { levels, first_tier, models }: Pick<BenchmarkInput, "levels" | "first_tier" | "models">,
  others: BenchmarkModels = models,
): BenchmarkSubject[] {
  return BENCHMARK_LEVELS.flatMap((level) => {
    const suite = levels[level];
    return suite === undefined ? [] : [{ level, suite, first_tier, models: others }];
  });
}

function compared(level: LevelResult, before: StoredResult | null): MeasuredLevel {
  const regressions = before === null ? [] : regressionsIn(before.cases, level.cases);
  return { ...level, summary: summaryOf(level.cases), before: before?.run_id ?? null, regressions };
}

/** Null if a level of the current assignment has no result. */
function reportOf(
  candidate: CandidateInput,
  current: readonly (StoredResult | null)[],
  levels: readonly LevelResult[],
): CandidateReport | null {
  const old = current.flatMap((one) => one ?? []);
  if (old.length < levels.length) return null;
  const [before, after] = [casesOf(old), casesOf(levels)];
  return { ...candidate, ...judgeCandidate(before, after), measured: { current: summaryOf(before), candidate: summaryOf(after) } };
}

function casesOf(results: readonly LevelResult[]): CaseResult[] {
  return results.flatMap(({ cases }) => cases);
}
