import type { ProcessOutcome } from "@slipway/kernel/host/sandbox/contract";
import { z } from "zod";
import type { DeclaredTest } from "../language.ts";
import { declarationProblem } from "./declared-tests.ts";
import type { PairedOutcome } from "./paired-run.ts";
import type { RanTest, TestError, TestRun } from "./test-run.ts";

const MAX_MESSAGE = 400;

const error = z.object({ name: z.string(), code: z.string().nullable(), message: z.string(), stack: z.string(), by_module: z.boolean() });
const ended = z.object({
  test: z.array(z.string()).min(1),
  suite: z.boolean(),
  ran: z.boolean(),
  passed: z.boolean(),
  duration_ms: z.number().nonnegative(),
  error: error.nullable(),
});
const loaded = z.object({ loaded: z.boolean(), error: error.nullable() });
const counted = z.object({ counts: z.object({ tests: z.number(), suites: z.number() }) });
type Ended = z.infer<typeof ended>;

/** The lines of a test process about its file. An unknown line is reported as a problem. */
interface ParsedResults {
  readonly ended: readonly Ended[];
  readonly loaded: z.infer<typeof loaded> | null;
  readonly counts: z.infer<typeof counted>["counts"] | null;
  readonly problem: string | null;
}

function parseResults(lines: readonly string[]): ParsedResults {
  const tests: Ended[] = [];
  let file: ParsedResults["loaded"] = null;
  let counts: ParsedResults["counts"] = null;
  let problem: string | null = null;
  for (const line of lines) {
    const value = parsed(line);
    const test = ended.safeParse(value);
    const load = loaded.safeParse(value);
    const count = counted.safeParse(value);
    if (test.success) tests.push(test.data);
    else if (load.success && file === null) file = load.data;
    else if (count.success && counts === null) counts = count.data.counts;
    else problem ??= `the test process wrote something that is no result: ${JSON.stringify(line.slice(0, 80))}`;
  }
  return { ended: tests, loaded: file, counts, problem };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** One file's part of a run. */
export function fileRun(
  file: string,
  folders: readonly string[],
  { resultLines, tests: outcome, stopped }: PairedOutcome,
  declared: readonly DeclaredTest[],
): TestRun {
  const results = parseResults(resultLines);
  const plain = (text: string) => folders.reduce((shorter, folder) => shorter.replaceAll(`${folder}/`, ""), text);
  const single = results.ended.filter((one) => !one.suite || isBrokenSuite(one));
  const tests = single
    .filter(({ ran }) => ran)
    .map((one): RanTest => ({
      name: plain(one.test.join(" > ")),
      result: one.passed ? "PASS" : "FAIL",
      duration_ms: Math.round(one.duration_ms * 1000) / 1000,
      error: one.error === null ? null : errorOf(one.error, plain),
    }));
  const skipped = single.filter(({ ran }) => !ran).map(({ test }) => plain(test.join(" > ")));
  const unloaded: RanTest[] =
    results.loaded?.error == null ? [] : [{ name: file, result: "FAIL", duration_ms: 0, error: errorOf(results.loaded.error, plain) }];
  const all = [...tests, ...unloaded];
  const isWhole = unloaded.length === 0 && !results.ended.some(isBrokenSuite);
  const undeclared = isWhole ? declarationProblem(file, results.ended, declared) : null;
  return { tests: all, skipped, broken: breakOf(outcome, stopped, results, all) ?? undeclared };
}

/** Its hooks failed, or its tests could not be collected. */
function isBrokenSuite({ suite, passed, error: failed }: Ended): boolean {
  return suite && !passed && !/subtests? failed$/.test(failed?.message ?? "");
}

function errorOf({ name, code, message, by_module }: z.infer<typeof error>, plain: (text: string) => string): TestError {
  const [first = ""] = plain(message).split("\n", 1);
  const by = by_module ? "code" : code === "ERR_ASSERTION" ? "check" : "test";
  return { name, message: first.slice(0, MAX_MESSAGE).toWellFormed(), by };
}

function breakOf(
  outcome: ProcessOutcome,
  stopped: PairedOutcome["stopped"],
  results: ParsedResults,
  tests: readonly RanTest[],
): string | null {
  if (outcome.timedOut) return "the tests did not end in time";
  if (outcome.limit !== null) return `the tests used more than the sandbox allows: ${outcome.limit}`;
  if (outcome.spawnError !== undefined) return `the tests could not be started: ${outcome.spawnError.message}`;
  if (stopped !== null) return `the module used more than the sandbox allows: ${stopped}`;
  if (results.problem !== null) return results.problem;
  const failed = tests.some(({ result }) => result === "FAIL");
  if (outcome.exitCode !== 0 && !(outcome.exitCode === 1 && failed))
    return `the test runner ended with ${outcome.signal ?? outcome.exitCode}`;
  if (results.loaded === null || (results.ended.length > 0 && results.counts === null))
    return "the test process ended before its tests did";
  const { tests: all = 0, suites = 0 } = results.counts ?? {};
  const known = results.ended.length;
  return known === all + suites ? null : `the test process counts ${all + suites} tests and suites, and reported ${known}`;
}
