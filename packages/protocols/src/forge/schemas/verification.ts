import { z } from "zod";
import { count, criterionId, line, list, taskId, text, uniqueBy } from "./fields.ts";

const SNIPPET = 500;

const evidenceGate = z.object({ total_checks: count, passed: count, failed: count, gate_status: z.enum(["passed", "failed"]) });
export type EvidenceGate = z.output<typeof evidenceGate>;

const finding = z.object({
  check_name: line,
  phase: z.enum(["baseline", "after"]),
  passed: z.boolean(),
  output_snippet: z.string().max(SNIPPET),
});
const regression = z.object({ check_name: line, detail: text });
const criterion = z.object({ id: criterionId, met: z.boolean(), evidence: text });

const report = {
  evidence_gate: evidenceGate,
  findings: list(finding),
  regressions: list(regression),
  criteria: list(criterion).superRefine(uniqueBy(({ id }) => id, "criterion")),
  /** Claims of the implementation report that the files at the baseline tag contradict. */
  baseline_discrepancies: list(regression).default([]),
};

export const verificationAnswer = z.object({ verification_report: z.object(report) });
export const verificationPayload = z.object({ verification_report: z.object({ task_id: taskId, ...report }) });
export type VerificationPayload = z.output<typeof verificationPayload>;
