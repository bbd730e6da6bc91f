import type { CriticalityRun } from "../criticality-run.ts";
import type { AuditReport, Contradiction } from "./report.ts";

/** Notes each contradiction in the ledger, before the run returns to Ignition or blocks. */
export async function recordContradictions(run: Pick<CriticalityRun, "ledger">, name: string, report: AuditReport): Promise<void> {
  if (report.contradictions_found.length === 0) return;
  await run.ledger.append(name, report.contradictions_found.map(entryOf));
}

function entryOf({ id, involved, analysis }: Contradiction) {
  return {
    prefix: "contradiction_",
    constraint: ledgerText(`Resolve contradiction ${id} between: ${involved.flatMap((one) => Object.values(one)).join(" | ")}`),
    category: "contradiction",
    source: "auditor_contradiction",
    phase: "compositionAudit",
    confidence: "inferred" as const,
    rationale: ledgerText(analysis),
  };
}

const MAX_TEXT = 20_000;

/** The ledger refuses NUL and texts that are too long. */
function ledgerText(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, MAX_TEXT).toWellFormed();
}
