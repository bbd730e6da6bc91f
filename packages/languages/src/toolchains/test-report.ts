import type { RanTest, TestError, TestRun } from "../typescript/test-run.ts";
import { whyStopped, type ToolOutcome } from "./run-tool.ts";

const LONGEST = 400;

export function brokenRun(reason: string): TestRun {
  return { tests: [], skipped: [], broken: reason.slice(0, 2 * LONGEST) };
}

export function passedTest(name: string, duration_ms = 0): RanTest {
  return { name, result: "PASS", duration_ms, error: null };
}

export function failedTest(
  name: string,
  error: { readonly name?: string; readonly message: string; readonly by?: TestError["by"] },
  duration_ms = 0,
): RanTest {
  const lines = error.message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const message = lines.slice(0, 4).join(" ").slice(0, LONGEST).toWellFormed();
  return { name, result: "FAIL", duration_ms, error: { name: error.name ?? "Failure", message, by: error.by ?? "check" } };
}

/** Several runs as one, with a number behind a name that occurs again. */
export function joinRuns(runs: readonly TestRun[]): TestRun {
  const counts = new Map<string, number>();
  const tests = runs.flatMap((run) =>
    run.tests.map((test) => {
      const count = (counts.get(test.name) ?? 0) + 1;
      counts.set(test.name, count);
      return count === 1 ? test : { ...test, name: `${test.name} (${count})` };
    }),
  );
  return { tests, skipped: runs.flatMap(({ skipped }) => skipped), broken: runs.find(({ broken }) => broken !== null)?.broken ?? null };
}

/** The exit code must say the same as the report: code under test could end the process early, or print results of its own. */
export function judged(
  run: TestRun,
  outcome: ToolOutcome,
  expected: { readonly passed: number; readonly failed: readonly number[] },
): TestRun {
  const failed = run.tests.some(({ result }) => result === "FAIL");
  const agrees = failed ? expected.failed.includes(outcome.exitCode ?? -1) : outcome.exitCode === expected.passed;
  const broken = run.broken ?? whyStopped(outcome, "the tests") ?? (agrees ? null : `the test runner ended with ${outcome.exitCode}`);
  return { ...run, broken };
}
