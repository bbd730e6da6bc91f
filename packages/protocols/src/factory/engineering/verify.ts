import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { sourcesOf, type ModuleBrief } from "./brief.ts";
import type { Deliverable } from "./deliverable.ts";
import { executionLog } from "./execution-log.ts";
import { mismatchOf, type Mismatch } from "./inspection.ts";
import type { EngineeringSite } from "./site.ts";

export type Verified = { readonly mismatch: Mismatch; readonly tested: null } | { readonly mismatch: null; readonly tested: Tested };

/**
 * The ship step's own look at what is proposed, while agents still speak about it: they take their time, and the machine has nothing
 * else to do. It counts only if exactly these files ship.
 */
export interface Ahead {
  readonly work: () => Promise<void>;
  readonly verified: Promise<Verified>;
  /** They will not ship as they are. Resolves when nothing is at work any more. */
  readonly stop: () => Promise<void>;
  /** When it is over: what was made ready and not sealed goes away. */
  readonly clear: () => Promise<void>;
}

/** What was made ready to be sealed, and how to get rid of it. */
interface Staged {
  drop: () => Promise<void>;
}

export function verifyAhead(site: EngineeringSite, brief: ModuleBrief, attempt: number, files: Deliverable): Ahead {
  const stopping = new AbortController();
  const staged: Staged = { drop: async () => undefined };
  const { promise: verified, resolve, reject } = Promise.withResolvers<Verified>();
  // Whoever waits for all of it hears of it.
  verified.catch(() => undefined);
  return {
    verified,
    async stop() {
      stopping.abort();
      await Promise.allSettled([verified]);
    },
    clear: () => staged.drop(),
    async work() {
      try {
        resolve(await verify(site, `${brief.contract.module_id}/ship:${attempt}`, brief, files, { stopped: stopping.signal, staged }));
      } catch (error) {
        reject(error);
        throw error;
      }
    },
  };
}

/** No test is run of what has another surface. */
export async function verify(
  site: EngineeringSite,
  step: string,
  brief: ModuleBrief,
  files: Deliverable,
  { stopped, staged }: { readonly stopped?: AbortSignal; readonly staged?: Staged } = {},
): Promise<Verified> {
  const mismatch = await site.ctx.step(`${step}:fingerprint`, async () => surfaceProblem(site, brief, files));
  if (mismatch !== null) return { mismatch, tested: null };
  const tested = await site.ctx.step(`${step}:tests`, async (signal) => {
    try {
      return await runForEvidence(site, brief, files, AbortSignal.any(stopped === undefined ? [signal] : [signal, stopped]), staged);
    } catch (error) {
      if (signal.aborted || stopped?.aborted !== true) throw error;
      return { problem: "the tests were stopped: it does not ship as it is", log: null };
    }
  });
  return { mismatch, tested };
}

function surfaceProblem(site: EngineeringSite, brief: ModuleBrief, files: Deliverable): Mismatch | null {
  return mismatchOf(brief, files, site.shop.language.readModule(sourcesOf(brief, files), brief.contract));
}

export type Tested = { readonly problem: string; readonly log: ExecutionLog | null } | ({ readonly problem: null } & Passed);

export interface Passed {
  readonly log: ExecutionLog;
  readonly verified_at: string;
}

/** Every test there is, in the sandbox; the log is what was seen. What will be sealed is made ready meanwhile. */
async function runForEvidence(
  site: EngineeringSite,
  brief: ModuleBrief,
  files: Deliverable,
  signal: AbortSignal,
  staged?: Staged,
): Promise<Tested> {
  const startedAt = site.kernel.clock.now();
  const { module_id, module_version: version } = brief.contract;
  // It only saves time: what goes wrong with it goes wrong again when the module is sealed.
  const staging = site.shop.store.stageModule({ module_id, version, files: { ...files, ...NOT_YET } }).catch(() => async () => undefined);
  const sources = sourcesOf(brief, files);
  const { tests: declared } = site.shop.language.readModule(sources, brief.contract);
  const [tests] = await Promise.allSettled([runTests(sources, { sandbox: await site.kernel.sandbox(), signal, declared }), staging]);
  const drop = await staging;
  if (tests.status === "rejected") {
    await drop();
    throw tests.reason;
  }
  const log = executionLog(brief.contract, tests.value, startedAt);
  const problem = problemOf(tests.value, log);
  if (problem === null && log !== null) {
    if (staged !== undefined) staged.drop = drop;
    return { problem, log, verified_at: new Date(site.kernel.clock.now()).toISOString() };
  }
  await drop();
  return { problem: problem ?? "no test was run", log };
}

function problemOf({ broken, tests }: TestRun, log: ExecutionLog | null): string | null {
  if (broken !== null) return broken;
  if (log === null) return "no test was run";
  const failed = tests.filter(({ result }) => result === "FAIL");
  return failed.length === 0 ? null : failed.map(({ name, error }) => `"${name}" fails: ${error?.name}: ${error?.message}`).join("; ");
}

/** What is sealed with the files, and known only at the end. */
const NOT_YET = { "ship.json": "", "tests/execution_log.json": "" };
