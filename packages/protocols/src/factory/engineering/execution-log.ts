import { executionLogSchema, summaryOf, type ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { Contract } from "@slipway/languages/contracts/schema";
import type { TestRun } from "@slipway/languages/typescript/test-run";

/** The log of a test run in the format of evidence; null if no test ran. */
export function executionLog({ module_id, module_version }: Contract, run: TestRun, startedAt: number): ExecutionLog | null {
  const tests = run.tests.map(({ name, result, duration_ms }) => ({ name, result, duration_ms }));
  if (tests.length === 0) return null;
  const executed_at = new Date(startedAt).toISOString();
  return executionLogSchema.parse({ module_id, module_version, executed_at, tests, summary: summaryOf(tests) });
}
