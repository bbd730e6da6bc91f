import { failedTest, passedTest } from "./test-report.ts";
import { whyStopped, type ToolOutcome } from "./run-tool.ts";
import type { RanTest, TestRun } from "../typescript/test-run.ts";

/** The mark of a line with a result, which generated test programs of C++ and Java print. */
export const RESULT_MARK = "@@slipway-test";
/** The last line of a generated program; without it the program ended early. */
export const END_MARK = "@@slipway-end";

/** The run of one test program: its result lines if it prints them, otherwise its exit code as one test. */
export function programRun(name: string, outcome: ToolOutcome): TestRun {
  const lines = outcome.stdout.split("\n").filter((line) => line.startsWith(`${RESULT_MARK} `));
  const stopped = whyStopped(outcome, "the tests");
  if (lines.length === 0 && !outcome.stdout.includes(END_MARK)) return exitCodeRun(name, outcome, stopped);
  const tests = lines.map(testIn);
  const failed = tests.some(({ result }) => result === "FAIL");
  const isWhole = outcome.stdout.trimEnd().endsWith(END_MARK) && outcome.exitCode === (failed ? 1 : 0);
  return { tests, skipped: [], broken: stopped ?? (isWhole ? null : `${name} ended early, with ${outcome.exitCode}`) };
}

function testIn(line: string): RanTest {
  const [, result, name = "", message = ""] = line.split("\t");
  return result === "PASS" ? passedTest(name) : failedTest(name, { message: message === "" ? "it failed" : message });
}

function exitCodeRun(name: string, outcome: ToolOutcome, stopped: string | null): TestRun {
  // A failed assertion of C++ aborts the process.
  if (stopped !== null && outcome.signal !== "SIGABRT") return { tests: [], skipped: [], broken: stopped };
  if (outcome.exitCode === 0) return { tests: [passedTest(name)], skipped: [], broken: null };
  const message = outcome.stderr.trim() === "" ? `it ended with ${outcome.signal ?? outcome.exitCode}` : outcome.stderr.trim();
  return { tests: [failedTest(name, { message })], skipped: [], broken: null };
}
