import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { makeTemporaryFolder } from "@slipway/kernel/host/files/temporary-folder";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { joinLines, type FunctionLines } from "../analysis/coverage.ts";
import type { DeclaredTest, ModuleSources } from "../language.ts";
import { isTestFile, workspaceFiles } from "./layout.ts";
import { modulePrograms, runPair, testPrograms } from "./paired-run.ts";
import { fileRun } from "./test-results.ts";

/** One finished test, as the harness observed it. */
export interface RanTest {
  /** Unique in the run; suites come before it, as in "parse > an empty text". */
  readonly name: string;
  readonly result: "PASS" | "FAIL";
  readonly duration_ms: number;
  readonly error: TestError | null;
}

export interface TestError {
  readonly name: string;
  readonly message: string;
  /** What failed: a check of the test, the code under test, or the test itself. */
  readonly by: "check" | "code" | "test";
}

export interface TestRun {
  readonly tests: readonly RanTest[];
  /** Declared but not run: skipped or todo. */
  readonly skipped: readonly string[];
  /** Why the run did not finish; null if it did. */
  readonly broken: string | null;
  /** Lines that the tests reach, if they were asked for and can be measured. */
  readonly coverage?: readonly FunctionLines[];
}

export interface TestRunOptions {
  readonly sandbox: Sandbox;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The tests that the files declare, read from the source: differing results break the run. */
  readonly declared?: readonly DeclaredTest[];
}

const TIMEOUT_MS = 60_000;
/** Files of a module and its dependencies; the test process gets none of these, and the module process nothing else. */
const OF_MODULE = /^(?:(?:implementation|dependencies)\/|package\.json$)/;

/** Runs every test file of a module with Node's own runner. Tests and module are in two folders, two processes and two sandboxes. */
export async function runTests(
  sources: ModuleSources,
  { sandbox, timeoutMs = TIMEOUT_MS, signal, declared = [] }: TestRunOptions,
): Promise<TestRun> {
  const files = Object.entries(workspaceFiles(sources));
  const tests = Object.keys(sources.files).filter(isTestFile);
  if (tests.length === 0) return { tests: [], skipped: [], broken: null };
  const folder = await makeTemporaryFolder("module");
  const [module, beside] = [join(folder, "module"), join(folder, "tests")];
  try {
    await putAll(module, { ...(await modulePrograms()), ...Object.fromEntries(files.filter(([path]) => OF_MODULE.test(path))) });
    await putAll(beside, {
      ...(await testPrograms()),
      ...Object.fromEntries(files.filter(([path]) => !OF_MODULE.test(path))),
      "package.json": '{ "type": "module" }\n',
    });
    const deadline = performance.now() + timeoutMs;
    const runs: TestRun[] = [];
    for (const file of tests) {
      const left = Math.max(1, deadline - performance.now());
      const pair = { sandbox, tests: { folder: beside, file }, module: { folder: module }, timeoutMs: left };
      const outcome = await runPair({ ...pair, ...(signal === undefined ? {} : { signal }) });
      signal?.throwIfAborted();
      runs.push(fileRun(file, [module, beside], outcome, declared));
    }
    return joinRuns(runs);
  } finally {
    await removeTree(folder);
  }
}

export async function putAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, assertCanonicalPath(path));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
}

export function joinRuns(runs: readonly TestRun[]): TestRun {
  const names = new Map<string, number>();
  const tests = runs.flatMap((run) =>
    run.tests.map((test) => {
      const count = (names.get(test.name) ?? 0) + 1;
      names.set(test.name, count);
      return count === 1 ? test : { ...test, name: `${test.name} (${count})` };
    }),
  );
  const covered = runs.flatMap(({ coverage }) => (coverage === undefined ? [] : [coverage]));
  return {
    tests,
    skipped: runs.flatMap(({ skipped }) => skipped),
    broken: runs.find(({ broken }) => broken !== null)?.broken ?? null,
    ...(covered.length === 0 ? {} : { coverage: joinLines(covered) }),
  };
}
