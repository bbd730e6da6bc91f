import { workflow, type Ctx } from "@slipway/durable/ctx";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { RunAgents } from "../../dispatch/run-agents.ts";
import { CONFIG_FILE, parseConfig } from "../config/config.ts";
import type { InjectionTier } from "../escalation/attempts.ts";
import { openRunFiles } from "../files/run-files.ts";
import { openCriticalityRun } from "../open-run.ts";
import type { CriticalityServicesOfRun } from "../protocol.ts";
import { readInvocations } from "../store.ts";
import type { CodeTools } from "../workspace/code-tools.ts";
import { caseLattice, hiddenTestPath } from "./case-lattice.ts";
import { BENCHMARK_CASE } from "./case-step.ts";
import { injectCase, type InjectedCase } from "./inject-case.ts";
import type { CaseResult } from "./result.ts";
import type { BenchmarkCase } from "./suite/case.ts";
import { SUITE } from "./suite/suite.ts";
import { unusableAnswer } from "./unusable-answer.ts";
import { usageOf } from "./case-usage.ts";

export interface CaseInput {
  readonly case: string;
  readonly first_tier: InjectionTier;
  readonly config_text: string | null;
  /** As assigned; the dispatcher reads those of the root run. */
  readonly agents: RunAgents;
}

export type CaseOutcome =
  { readonly status: "measured"; readonly result: CaseResult } | { readonly status: "given_up"; readonly reason: string };

/** One case: its holes are filled as in any run, then the hidden tests decide. Nothing of a repository is read or written. */
export const benchmarkCase = workflow<CaseInput, CaseOutcome, CriticalityServicesOfRun>(BENCHMARK_CASE, "1", runCase, {
  durability: "relaxed",
});

async function runCase(ctx: Ctx, input: CaseInput, services: CriticalityServicesOfRun): Promise<CaseOutcome> {
  const found = SUITE.find(({ id }) => id === input.case);
  if (found === undefined) throw new TypeError(`The suite has no case ${input.case}.`);
  const language = await services.languages("typescript");
  const { kernel } = services;
  const { config } = parseConfig(input.config_text, CONFIG_FILE);
  const called: string[] = [];
  const run = openCriticalityRun(ctx, {
    id: found.id,
    services,
    config,
    language,
    files: openRunFiles(nodeFileSystem, kernel.records.layout.run(ctx.runId)),
    onModelCall: ({ id }) => void called.push(id),
    insteadOfAnswer: unusableAnswer,
  });
  const tools = services.openTools({ language, sandbox: kernel.sandbox });
  try {
    const injected = await injectCase(run, tools, caseLattice(found, language), input.first_tier);
    const timeoutMs = config.orchestrator.mesoscopic_per_cluster_seconds * 1_000;
    const failure =
      injected.failure ?? (await ctx.step("hidden-tests", (signal) => failureOfHidden(tools, found, injected, { signal, timeoutMs })));
    const usage = await ctx.step("usage", async () => usageOf(await readInvocations(kernel.records.database.db, called), input.agents));
    return { status: "measured", result: resultOf(found, injected, failure, usage) };
  } catch (error) {
    if (error instanceof GivenUp) return { status: "given_up", reason: error.message };
    throw error;
  } finally {
    await tools.close();
  }
}

/** What a test run reports may be text of the code under test. */
const MOST_REASON_CHARACTERS = 500;

/** Null if every hidden test passed. */
async function failureOfHidden(
  tools: CodeTools,
  found: BenchmarkCase,
  { tree }: InjectedCase,
  run: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<string | null> {
  const path = hiddenTestPath(found);
  const failure = hiddenFailure(await tools.runTests({ ...tree, [path]: found.hidden }, [path], run));
  return failure?.slice(0, MOST_REASON_CHARACTERS) ?? null;
}

export function hiddenFailure({ tests, skipped, broken }: TestRun): string | null {
  if (broken !== null) return `the hidden tests did not end: ${broken}`;
  const failed = tests.filter(({ result }) => result === "FAIL").map(({ name }) => name);
  const missing = [...failed, ...skipped];
  if (missing.length > 0) return `hidden tests fail: ${missing.join(", ")}`;
  return tests.length === 0 ? "no hidden test ran" : null;
}

function resultOf(
  { id }: BenchmarkCase,
  { tier, functions, attempts }: InjectedCase,
  reason: string | null,
  usage: ReturnType<typeof usageOf>,
): CaseResult {
  const passed = reason === null;
  return {
    case: id,
    passed,
    first_pass: passed && attempts === functions,
    tier: passed ? tier : null,
    reason,
    functions,
    attempts,
    ...usage,
  };
}
