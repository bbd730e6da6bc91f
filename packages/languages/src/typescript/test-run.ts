import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { assertCanonicalPath } from "@slipway/kernel/plans/paths";
import type { ProcessOutcome, Sandbox } from "@slipway/kernel/sandbox/contract";
import { z } from "zod";
import type { ModuleSources } from "../language.ts";
import { isTestFile, workspaceFiles } from "./layout.ts";
import { REPORTER_SCRIPT } from "./reporter-script.ts";

/** One test as the harness saw it end. */
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
  /** Written down and not carried out: skipped, or still to be done. */
  readonly skipped: readonly string[];
  /** Why it did not come to its end, if so. */
  readonly broken: string | null;
}

export interface TestRunOptions {
  readonly sandbox: Sandbox;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const REPORTER = "slipway-reporter.mjs";
const MAX_MESSAGE = 400;

/** Runs every test file of a module with Node's own runner, in a folder that holds the module and nothing else. */
export async function runTests(sources: ModuleSources, { sandbox, timeoutMs = TIMEOUT_MS, signal }: TestRunOptions): Promise<TestRun> {
  const files = workspaceFiles(sources);
  const tests = Object.keys(files).filter(isTestFile);
  if (tests.length === 0) return { tests: [], skipped: [], broken: null };
  const folder = await realpath(await mkdtemp(join(tmpdir(), "slipway-module-")));
  try {
    for (const [path, text] of Object.entries({ ...files, [REPORTER]: REPORTER_SCRIPT })) await put(folder, path, text);
    let stdout = "";
    const outcome = await sandbox.run({
      worktree: folder,
      git: "none",
      command: ["node", "--disable-warning=ExperimentalWarning", "--test", `--test-reporter=./${REPORTER}`, ...tests],
      folders: [{ path: ".", writable: false }],
      timeoutMs,
      onOutput: (stream, chunk) => {
        if (stream === "stdout") stdout += Buffer.from(chunk).toString("utf8");
      },
      ...(signal === undefined ? {} : { signal }),
    });
    signal?.throwIfAborted();
    return summary(stdout, tests, folder, outcome);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function put(folder: string, path: string, text: string): Promise<void> {
  const place = join(folder, assertCanonicalPath(path));
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, text);
}

const reported = z.object({
  name: z.string(),
  file: z.string().nullable(),
  suite: z.boolean(),
  ran: z.boolean(),
  passed: z.boolean(),
  duration_ms: z.number(),
  error: z.object({ name: z.string(), code: z.string().nullable(), message: z.string(), stack: z.string() }).nullable(),
});
type Reported = z.infer<typeof reported>;

function summary(stdout: string, files: readonly string[], folder: string, outcome: ProcessOutcome): TestRun {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const ended = lines.map((line) => reported.parse(JSON.parse(line)));
  // A whole file stands for itself only when it could not be run; a suite is as good as its tests.
  const isFile = ({ name }: Reported) => files.some((file) => name === file || name === join(folder, file));
  const single = ended.filter((one) => !(one.suite || (isFile(one) && one.passed)) || isBrokenSuite(one));
  const skipped = single.filter(({ ran }) => !ran).map(({ name }) => name);
  const names = new Map<string, number>();
  const tests = single
    .filter(({ ran }) => ran)
    .map((one): RanTest => {
      const name = one.name.replaceAll(`${folder}/`, "");
      const count = (names.get(name) ?? 0) + 1;
      names.set(name, count);
      return {
        name: count === 1 ? name : `${name} (${count})`,
        result: one.passed ? "PASS" : "FAIL",
        duration_ms: Math.round(one.duration_ms * 1000) / 1000,
        error: one.error === null ? null : errorOf(one.error, folder),
      };
    });
  return { tests, skipped, broken: breakOf(outcome, tests) };
}

/** Its hooks failed, or it could not even say what its tests are. */
function isBrokenSuite({ suite, passed, error }: Reported): boolean {
  return suite && !passed && !/subtests? failed$/.test(error?.message ?? "");
}

function errorOf({ name, code, message, stack }: NonNullable<Reported["error"]>, folder: string): TestError {
  const [first = ""] = message.replaceAll(`${folder}/`, "").split("\n", 1);
  const at = stack.split("\n").find((line) => line.includes(`${folder}/`)) ?? "";
  const by = code === "ERR_ASSERTION" ? "check" : /\/(implementation|dependencies)\//.test(at) ? "code" : "test";
  return { name, message: first.slice(0, MAX_MESSAGE).toWellFormed(), by };
}

function breakOf(outcome: ProcessOutcome, tests: readonly RanTest[]): string | null {
  if (outcome.timedOut) return "the tests did not end in time";
  if (outcome.limit !== null) return `the tests used more than the sandbox allows: ${outcome.limit}`;
  if (outcome.spawnError !== undefined) return `the tests could not be started: ${outcome.spawnError.message}`;
  const failed = tests.some(({ result }) => result === "FAIL");
  if (outcome.exitCode === 0 || (outcome.exitCode === 1 && failed)) return null;
  return `the test runner ended with ${outcome.signal ?? outcome.exitCode}`;
}
