import type { SourceProblem } from "@slipway/languages/adapter";
import { SEVERITIES } from "@slipway/languages/analysis/security";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { z } from "zod";

const MOST_PROBLEMS = 100;
const LONGEST_MESSAGE = 500;

const count = z.int().min(0);
const position = { line: z.int(), column: z.int() };

export const problemSchema = z.strictObject({ file: z.string().nullable(), ...position, message: z.string() });

export const testReportSchema = z.strictObject({
  status: z
    .enum(["pass", "fail", "timeout", "broken", "untested"])
    .describe("`broken`: the run ended before every test had a result. `untested`: there is nothing to run."),
  passed: z.boolean(),
  counts: z.strictObject({ declared: count, passed: count, failed: count, skipped: count }),
  duration_ms: z.number().min(0),
  failures: z.array(z.strictObject({ test: z.string(), error: z.string(), by: z.enum(["check", "code", "test"]).nullable() })),
});

export type CheckedTests = z.output<typeof testReportSchema>;

export const findingSchema = z.strictObject({ rule: z.string(), severity: z.enum(SEVERITIES), line: z.int(), message: z.string() });

export const NOT_TESTED: CheckedTests = {
  status: "untested",
  passed: false,
  counts: { declared: 0, passed: 0, failed: 0, skipped: 0 },
  duration_ms: 0,
  failures: [],
};

/**
 * Counts and failures. The output of the processes, and the runner's own words about a broken run, are not in it. A generated test skips
 * itself where it finds no values to test with; a committed test must not skip.
 */
export function testReport({ tests, skipped, broken }: TestRun, declared: number, origin: "generated" | "committed"): CheckedTests {
  const failed = tests.filter(({ result }) => result === "FAIL");
  const ended = tests.length + (origin === "generated" ? skipped.length : 0);
  const isComplete = broken === null && tests.length > 0 && ended >= declared && (origin === "generated" || skipped.length === 0);
  const status = failed.length > 0 ? "fail" : isComplete ? "pass" : broken !== null && TIME_LIMIT.test(broken) ? "timeout" : "broken";
  return {
    status,
    passed: status === "pass",
    counts: {
      declared: Math.max(declared, tests.length),
      passed: tests.length - failed.length,
      failed: failed.length,
      skipped: skipped.length,
    },
    duration_ms: tests.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    failures: failed.slice(0, MOST_PROBLEMS).map(({ name, error }) => ({
      test: shortened(name),
      error: shortened(error === null ? "failed" : `${error.name}: ${error.message}`),
      by: error?.by ?? null,
    })),
  };
}

const TIME_LIMIT = /\btime/i;

export function shownProblems(problems: readonly SourceProblem[]): z.output<typeof problemSchema>[] {
  return problems.slice(0, MOST_PROBLEMS).map(({ file, line, column, message }) => ({ file, line, column, message: shortened(message) }));
}

function shortened(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
