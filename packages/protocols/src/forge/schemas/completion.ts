import { z } from "zod";
import { COMPLETION_STATUSES, FORGE_AGENTS, type CompletionStatus, type PlayedForgeRole } from "../agents.ts";
import { risk, severity } from "./enums.ts";
import { count, line, list, path } from "./fields.ts";

const evidenceSummary = z.object({ total_checks: count, passed: count, failed: count, security_blockers: count });

const shared = {
  summary: line,
  severity: severity.nullable(),
  findings_count: count,
  risk_level: risk.nullable(),
};

/** The block on top of every output file. Its keys stand in this order. */
export const completionSchema = z.object({
  status: z.enum(COMPLETION_STATUSES),
  ...shared,
  output_paths: list(path),
  evidence_summary: evidenceSummary.optional(),
});
export type Completion = z.output<typeof completionSchema>;

const WITH_EVIDENCE: readonly PlayedForgeRole[] = ["verifier", "adversarial-reviewer"];
const WITH_RISK: readonly PlayedForgeRole[] = ["planner", "adversarial-reviewer"];

/** The block of one role: its own statuses, and nothing in the fields that only other roles set. */
export function completionOf(role: PlayedForgeRole): z.ZodType<Completion> {
  return blockOf(role, list(path));
}

/** As a role answers it. The harness knows the output files and fills them in. */
export function answeredCompletionOf(role: PlayedForgeRole): z.ZodType<Completion> {
  return blockOf(role, list(path).default([]));
}

function blockOf(role: PlayedForgeRole, outputPaths: z.ZodType<string[]>): z.ZodType<Completion> {
  const statuses: readonly CompletionStatus[] = FORGE_AGENTS[role].statuses;
  const block = z.object({
    status: z.enum(statuses),
    ...shared,
    severity: role === "adversarial-reviewer" ? shared.severity : onlyNull(shared.severity, `the ${role} gives no severity: write null`),
    risk_level: WITH_RISK.includes(role) ? shared.risk_level : onlyNull(shared.risk_level, `the ${role} gives no risk_level: write null`),
    output_paths: outputPaths,
  });
  return WITH_EVIDENCE.includes(role) ? block.extend({ evidence_summary: evidenceSummary.optional() }) : block;
}

// The inner schema stays, so that a severity that does not exist is answered with the four that do.
function onlyNull<S extends z.ZodType>(field: S, note: string): S {
  return field.refine((value) => value === null, note) as S;
}

/** Whether a planner or reviewer that did its work says no risk. */
export function missesRisk(role: PlayedForgeRole, { status, risk_level }: Pick<Completion, "status" | "risk_level">): boolean {
  return WITH_RISK.includes(role) && status !== "ERROR" && risk_level === null;
}
