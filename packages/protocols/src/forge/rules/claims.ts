import type { CheckCitation } from "../schemas/review.ts";
import type { EvidenceGate } from "../schemas/verification.ts";

/** An `after` row of the ledger. */
export interface CheckedRow {
  readonly task_id: string;
  readonly check_name: string;
  readonly passed: boolean;
  readonly round: number;
}

/** Citations of checks that never ran, or whose last run had another result. */
export function uncheckedClaims(citations: readonly CheckCitation[], rows: readonly CheckedRow[]): string[] {
  return citations.flatMap(({ task_id, check_name, passed }, index) => {
    const field = `payload/checks_cited/${index}`;
    const last = lastRun(rows.filter((row) => row.task_id === task_id && row.check_name === check_name));
    if (last.length === 0) return [`${field}: the check ${check_name} of ${task_id} never ran`];
    const didPass = last.every((row) => row.passed);
    if (didPass === passed) return [];
    return [`${field}: the check ${check_name} of ${task_id} ${didPass ? "passed" : "failed"}, not ${passed ? "passed" : "failed"}`];
  });
}

/** Where a verifier's numbers differ from the ledger, which decides. */
export function gateMismatches(claimed: EvidenceGate, ledger: EvidenceGate): string[] {
  return (Object.keys(ledger) as (keyof EvidenceGate)[])
    .filter((key) => claimed[key] !== ledger[key])
    .map((key) => `evidence_gate/${key}: the report says ${claimed[key]}, the ledger ${ledger[key]}`);
}

function lastRun(rows: readonly CheckedRow[]): readonly CheckedRow[] {
  const round = Math.max(...rows.map((row) => row.round));
  return rows.filter((row) => row.round === round);
}
