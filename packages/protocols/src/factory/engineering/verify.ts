import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { sourcesOf, type ModuleBrief } from "./brief.ts";
import type { Deliverable } from "./deliverable.ts";
import { executionLog } from "./execution-log.ts";
import { mismatchOf, type Mismatch } from "./inspection.ts";
import type { EngineeringSite } from "./site.ts";

export type Verified = { readonly mismatch: Mismatch; readonly tested: null } | { readonly mismatch: null; readonly tested: Tested };

/** No test is run of what has another surface. */
export async function verify(site: EngineeringSite, step: string, brief: ModuleBrief, files: Deliverable): Promise<Verified> {
  const mismatch = await site.ctx.step(`${step}:fingerprint`, async () => surfaceProblem(site, brief, files));
  if (mismatch !== null) return { mismatch, tested: null };
  return { mismatch, tested: await site.ctx.step(`${step}:tests`, (signal) => runForEvidence(site, brief, files, signal)) };
}

function surfaceProblem(site: EngineeringSite, brief: ModuleBrief, files: Deliverable): Mismatch | null {
  return mismatchOf(brief, files, site.shop.language.readModule(sourcesOf(brief, files), brief.contract));
}

export type Tested = { readonly problem: string; readonly log: ExecutionLog | null } | ({ readonly problem: null } & Passed);

export interface Passed {
  readonly log: ExecutionLog;
  readonly verified_at: string;
}

/** Every test there is, in the sandbox; the log is what was seen. */
async function runForEvidence(site: EngineeringSite, brief: ModuleBrief, files: Deliverable, signal: AbortSignal): Promise<Tested> {
  const startedAt = site.kernel.clock.now();
  const sources = sourcesOf(brief, files);
  const { tests: declared } = site.shop.language.readModule(sources, brief.contract);
  const run = await runTests(sources, { sandbox: await site.kernel.sandbox(), signal, declared });
  const log = executionLog(brief.contract, run, startedAt);
  const problem = problemOf(run, log);
  if (problem !== null || log === null) return { problem: problem ?? "no test was run", log };
  return { problem, log, verified_at: new Date(site.kernel.clock.now()).toISOString() };
}

function problemOf({ broken, tests }: TestRun, log: ExecutionLog | null): string | null {
  if (broken !== null) return broken;
  if (log === null) return "no test was run";
  const failed = tests.filter(({ result }) => result === "FAIL");
  return failed.length === 0 ? null : failed.map(({ name, error }) => `"${name}" fails: ${error?.name}: ${error?.message}`).join("; ");
}
