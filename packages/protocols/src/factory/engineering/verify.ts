import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { ModuleSources } from "@slipway/languages/language";
import { randomInt } from "node:crypto";
import { greenFiles, withPlantedTests } from "@slipway/languages/typescript/planted-tests";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { sourcesOf, type ModuleBrief } from "./brief.ts";
import type { Deliverable } from "./deliverable.ts";
import { filesThatPassed, withChangedTests } from "./changed-tests.ts";
import { executionLog } from "./execution-log.ts";
import { mismatchOf, type Mismatch } from "./inspection.ts";
import type { TaskRun } from "./task-run.ts";

export type Verified = { readonly mismatch: Mismatch; readonly tested: null } | { readonly mismatch: null; readonly tested: Tested };

/** Runs no tests if the surface differs. */
export async function verify(run: TaskRun, step: string, brief: ModuleBrief, files: Deliverable): Promise<Verified> {
  const mismatch = await run.ctx.step(`${step}:fingerprint`, (signal) => surfaceProblem(run, brief, files, signal));
  if (mismatch !== null) return { mismatch, tested: null };
  return { mismatch, tested: await run.ctx.step(`${step}:tests`, (signal) => runForEvidence(run, brief, files, signal)) };
}

async function surfaceProblem(run: TaskRun, brief: ModuleBrief, files: Deliverable, signal: AbortSignal): Promise<Mismatch | null> {
  return mismatchOf(brief, files, await run.services.language.readModule(sourcesOf(brief, files), brief.contract, signal));
}

export type Tested = { readonly problem: string; readonly log: ExecutionLog | null } | ({ readonly problem: null } & Passed);

export interface Passed {
  readonly log: ExecutionLog;
  readonly verified_at: string;
}

/** Runs every test in the sandbox and logs the observed results. */
async function runForEvidence(run: TaskRun, brief: ModuleBrief, files: Deliverable, signal: AbortSignal): Promise<Tested> {
  const startedAt = run.kernel.clock.now();
  const sources = sourcesOf(brief, files);
  const { tests: declared } = await run.services.language.readModule(sources, brief.contract, signal);
  const sandbox = await run.kernel.sandbox();
  const testRun = await runTests(sources, { sandbox, signal, declared });
  const log = executionLog(brief.contract, testRun, startedAt);
  const problem = problemOf(testRun, log) ?? (await canaryProblem(sources, sandbox, signal));
  if (problem !== null || log === null) return { problem: problem ?? "no test was run", log };
  return { problem, log, verified_at: new Date(run.kernel.clock.now()).toISOString() };
}

/** The tests run again, some of each file changed so that they must fail, and with one more that must fail. */
async function canaryProblem(sources: ModuleSources, sandbox: Sandbox, signal: AbortSignal): Promise<string | null> {
  const changed = withChangedTests(sources, (limit) => randomInt(limit));
  const planted = withPlantedTests(changed.sources, (limit) => randomInt(limit));
  const run = await runTests(planted.sources, { sandbox, signal });
  const green = [...new Set([...greenFiles(run, planted.titles), ...filesThatPassed(run, changed.titles)])];
  if (green.length === 0) return null;
  return `the tests did not turn red although a failing test was planted in ${green.join(", ")}, so their verdict proves nothing`;
}

function problemOf({ broken, tests }: TestRun, log: ExecutionLog | null): string | null {
  if (broken !== null) return broken;
  if (log === null) return "no test was run";
  const failed = tests.filter(({ result }) => result === "FAIL");
  return failed.length === 0 ? null : failed.map(({ name, error }) => `"${name}" fails: ${error?.name}: ${error?.message}`).join("; ");
}
