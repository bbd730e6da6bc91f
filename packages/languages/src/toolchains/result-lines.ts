import { randomBytes } from "node:crypto";
import type { RanTest, TestRun } from "../typescript/test-run.ts";
import { whyStopped, type ToolOutcome } from "./run-tool.ts";
import { failedTest, passedTest } from "./test-report.ts";

/** The mark of a line with a result, which generated test programs of C++ and Java print. */
export const RESULT_MARK = "@@slipway-test";
/** The last line of a generated program; without it the program ended early. */
export const END_MARK = "@@slipway-end";

/** A line that the harness's own `main` prints after the test's has returned. */
export function newEndLine(): string {
  return `@@slipway-returned-${randomBytes(12).toString("hex")}`;
}

/**
 * The run of one test program: its result lines if it prints them, otherwise its exit code as one test. Code under test may end the
 * process with success; then the last line is missing and the run is broken.
 */
export function programRun(name: string, outcome: ToolOutcome, endLine: string): TestRun {
  const lines = outcome.stdout.split("\n").filter((line) => line.startsWith(`${RESULT_MARK} `));
  const stopped = whyStopped(outcome, "the tests");
  if (lines.length === 0) return exitCodeRun(name, outcome, stopped, endLine);
  const tests = lines.map(testIn);
  const failed = tests.some(({ result }) => result === "FAIL");
  const isWhole = outcome.stdout.includes(END_MARK) && outcome.exitCode === (failed ? 1 : 0);
  return { tests, skipped: [], broken: stopped ?? (isWhole ? null : endedEarly(name, outcome)) };
}

function endedEarly(name: string, { exitCode }: ToolOutcome): string {
  return `${name} ended early, with ${exitCode}`;
}

function testIn(line: string): RanTest {
  const [, result, name = "", message = ""] = line.split("\t");
  return result === "PASS" ? passedTest(name) : failedTest(name, { message: message === "" ? "it failed" : message });
}

function exitCodeRun(name: string, outcome: ToolOutcome, stopped: string | null, endLine: string): TestRun {
  // A failed assertion of C++ aborts the process.
  if (stopped !== null && outcome.signal !== "SIGABRT") return { tests: [], skipped: [], broken: stopped };
  if (outcome.exitCode === 0) {
    const isWhole = outcome.stdout.includes(endLine);
    return { tests: isWhole ? [passedTest(name)] : [], skipped: [], broken: isWhole ? null : endedEarly(name, outcome) };
  }
  const message = outcome.stderr.trim() === "" ? `it ended with ${outcome.signal ?? outcome.exitCode}` : outcome.stderr.trim();
  return { tests: [failedTest(name, { message })], skipped: [], broken: null };
}
