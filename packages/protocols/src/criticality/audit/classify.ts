import type { CanonicalConflict } from "../ledger/conflicts.ts";
import type { AuditReport } from "./report.ts";

export type ReportSeverity = "simple" | "complex";

/** Simple if every contradiction has a suggested resolution and no two canonical decisions are in conflict. */
export function classifyReport({ contradictions_found }: AuditReport, conflicts: readonly CanonicalConflict[]): ReportSeverity {
  const isResolvable = contradictions_found.every(({ suggested_resolution_options }) => suggested_resolution_options.length > 0);
  return isResolvable && conflicts.length === 0 ? "simple" : "complex";
}
