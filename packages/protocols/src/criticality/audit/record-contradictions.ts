import type { Decision } from "@slipway/kernel/record/decisions/decision";
import type { CriticalityRun } from "../criticality-run.ts";
import type { AuditReport, Contradiction } from "./report.ts";

/** Notes each contradiction in the ledger, before the run returns to Ignition or blocks. */
export async function recordContradictions(run: Pick<CriticalityRun, "ledger">, name: string, report: AuditReport): Promise<void> {
  if (report.contradictions_found.length === 0) return;
  await run.ledger.append(name, report.contradictions_found.map(entryOf));
}

/** Marks contradictions between decisions that the person confirmed: no phase may go on until one of them gives way. */
export async function markConflicts(
  { ledger }: Pick<CriticalityRun, "ledger">,
  step: string,
  { contradictions_found: found }: AuditReport,
  entries: readonly Decision[],
): Promise<Decision[]> {
  const marked: Decision[] = [];
  for (const { id, involved, analysis } of found) {
    const texts = involved.flatMap((one) => Object.values(one));
    const between = entries.filter((entry) => isConfirmed(entry) && texts.some((text) => names(text, entry))).map((entry) => entry.id);
    if (between.length < 2) continue;
    const conflict = { between, constraint: ledgerText(analysis), phase: "compositionAudit", source: "auditor_contradiction" };
    marked.push(await ledger.markConflict(`${step}:${id}`, conflict));
  }
  return marked;
}

function isConfirmed({ confidence, status }: Decision): boolean {
  return confidence === "canonical" && status === "active";
}

/** A text names a decision by its id in brackets, or by its words. */
function names(text: string, { id, constraint }: Decision): boolean {
  return text.includes(`[${id}]`) || text.trim() === constraint.trim();
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
