import type { Kernel } from "@slipway/kernel/kernel";
import type { SourceTree } from "@slipway/languages/adapter";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import { verificationOf, type VerificationMethod } from "@slipway/languages/micro-contracts/verification";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { withTests } from "../phases/verifier.ts";
import { openProjectFolders } from "../workspace/project-folders.ts";
import { NOT_TESTED, testReport, type CheckedTests } from "./check-results.ts";
import { functionsOf, type CommittedCode, type CommittedFunction } from "./committed-code.ts";

/** Long enough for the compiler to load a large program. */
const COMPILE_TIMEOUT_MS = 120_000;

export async function checkStructure(kernel: Kernel, code: CommittedCode, signal: AbortSignal) {
  const { language, sources } = code;
  const run = { sandbox: await kernel.sandbox(), timeoutMs: COMPILE_TIMEOUT_MS, signal };
  const { passed, problems, notes = [] } = await inFolder(sources, (folder) => language.compileCheck(folder, run));
  const functions = functionsOf(code);
  const holes = functions.filter(({ declared }) => declared.isHole).length;
  return { passed, problems, notes, functions: { total: functions.length, holes } };
}

const BY_TESTS: ReadonlySet<VerificationMethod | null> = new Set<VerificationMethod>(["generated test", "property test"]);

/** How many clauses of the contract the tests of a function reach, of those that tests verify. */
export interface ContractCoverage {
  readonly clauses: number;
  readonly tested: number;
  readonly untested: readonly { readonly subject: string; readonly reason: string }[];
}

/** Runs the tests that the function's contract gives, without any that are committed: they cannot be weakened. */
export async function testFunction(
  kernel: Kernel,
  code: CommittedCode,
  { path, declared }: CommittedFunction,
  signal: AbortSignal,
): Promise<{ readonly report: CheckedTests; readonly coverage: ContractCoverage }> {
  const { language, sources, config } = code;
  const { clauses } = parseContract(declared.doc ?? "", declared.docLine, null);
  const total = clauses.filter((clause) => BY_TESTS.has(verificationOf(clause))).length;
  const test = language.unitTest(sources, path, declared.name, { clauses });
  if (test === null) return { report: NOT_TESTED, coverage: { clauses: total, tested: 0, untested: [] } };
  const timeoutMs = config.orchestrator.injection_per_function_seconds * 1_000;
  const ran = await runFiles(kernel, code, withTests(sources, [test]), [test.path], { signal, timeoutMs });
  const untested = test.untested.map(({ subject, reason }) => ({ subject, reason }));
  return {
    report: testReport(ran, test.tests.length, "generated"),
    coverage: { clauses: total, tested: Math.max(0, total - untested.length), untested },
  };
}

/** Runs the committed tests of a claim. */
export async function testClaim(
  kernel: Kernel,
  code: CommittedCode,
  claim: string,
  signal: AbortSignal,
): Promise<CheckedTests & { files: string[] }> {
  const { sources, tests, config } = code;
  const files = Object.keys(tests).filter((path) => isTestOf(claim, path));
  if (files.length === 0) return { ...NOT_TESTED, files };
  const timeoutMs = config.orchestrator.mesoscopic_per_cluster_seconds * 1_000;
  return {
    ...testReport(await runFiles(kernel, code, { ...sources, ...tests }, files, { signal, timeoutMs }), files.length, "committed"),
    files,
  };
}

/** Adapters name the test of a claim after its id: `balance_001.test.ts`, `test_claim_balance_001.py`, `Claimbalance_001Test.java`. */
export function isTestOf(claim: string, path: string): boolean {
  const [, name] = /([^/]*?)(?:\.test)?\.[a-z]+$/.exec(path) ?? [];
  return name?.replace(/^(?:test_)?(?:claim_?)?/i, "").replace(/_?test$/i, "") === claim;
}

async function runFiles(
  kernel: Kernel,
  { language }: CommittedCode,
  tree: SourceTree,
  files: readonly string[],
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TestRun> {
  const sandbox = await kernel.sandbox();
  return inFolder(tree, (folder) => language.runTests(folder, { sandbox, files, ...limits }));
}

async function inFolder<T>(tree: SourceTree, work: (folder: string) => Promise<T>): Promise<T> {
  const folders = openProjectFolders();
  try {
    return await folders.withTree(tree, work);
  } finally {
    await folders.close();
  }
}
