import type { CanonicalConflict } from "../ledger/conflicts.ts";
import type { AuditReport } from "./report.ts";

export type ReportSeverity = "simple" | "complex";

/** Simple if every contradiction has a suggested resolution and no two canonical decisions are in conflict. */
export function classifyReport({ contradictions_found }: AuditReport, conflicts: readonly CanonicalConflict[]): ReportSeverity {
  const isResolvable = contradictions_found.every(({ suggested_resolution_options }) => suggested_resolution_options.length > 0);
  return isResolvable && conflicts.length === 0 ? "simple" : "complex";
}

export type AuditOutcome =
  | { readonly to: "injection" }
  | { readonly to: "ignition"; readonly report: AuditReport }
  | { readonly to: "blocked"; readonly reason: { readonly type: "unresolved_contradiction"; readonly report: AuditReport } };

/** Where the run goes after the audit. One contradiction of any severity keeps it from injection. */
export function auditOutcome(report: AuditReport, conflicts: readonly CanonicalConflict[]): AuditOutcome {
  if (report.contradictions_found.length === 0 && conflicts.length === 0) return { to: "injection" };
  if (classifyReport(report, conflicts) === "simple") return { to: "ignition", report };
  return { to: "blocked", reason: { type: "unresolved_contradiction", report } };
}
