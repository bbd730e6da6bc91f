import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { ModuleBrief } from "../brief.ts";
import type { Round } from "../context.ts";
import type { LastDeliverable, ModuleFailure } from "../halt.ts";
import type { Inspection } from "../inspection.ts";
import type { ShipOutcome } from "../ship.ts";
import type { Unapplied } from "./amendments.ts";
import type { Proposed } from "./propose.ts";
import type { Objection } from "./schemas.ts";

/** The state of the last round when it failed. */
export interface LastFailure {
  readonly proposed: Proposed | null;
  readonly inspection: Inspection | null;
  readonly shipping: Extract<ShipOutcome, { ok: false }> | null;
  readonly unapplied: readonly Unapplied[];
}

export const NOTHING_YET: LastFailure = { proposed: null, inspection: null, shipping: null, unapplied: [] };

export function failureOf(
  { contract }: ModuleBrief,
  reason: string,
  objections: readonly Objection[],
  rounds: readonly Round[],
  { proposed, inspection, shipping, unapplied }: LastFailure,
): ModuleFailure {
  return {
    module_id: contract.module_id,
    module_version: contract.module_version,
    reason,
    failed_invariants: objections.map(({ invariant, evidence }) => ({ invariant, evidence })),
    rounds,
    deliverable: proposed === null ? null : lastOf(proposed),
    fingerprint: shipping?.kind === "fingerprint" ? shipping.mismatch : (inspection?.mismatch ?? null),
    execution_log: shipping?.kind === "tests" ? shipping.log : failedLog(inspection),
    unapplied,
  };
}

function lastOf({ implementation, files, coverage, proposal }: Proposed): LastDeliverable {
  return { ref: implementation.ref, files, coverage, claim: proposal.claim, acceptance_checks: proposal.acceptance_checks };
}

function failedLog(inspection: Inspection | null): ExecutionLog | null {
  const log = inspection?.log ?? null;
  return log !== null && log.summary.failed > 0 ? log : null;
}

/** The refusal of the ship step, as an objection. */
export function shipObjection({ kind, message }: Extract<ShipOutcome, { ok: false }>): Objection {
  const invariant = kind === "tests" ? "tests at ship" : "interface fingerprint";
  return { invariant, evidence: message, required_change: "Correct it; the harness looks again." };
}

export function unappliedObjections(unapplied: readonly Unapplied[]): Objection[] {
  return unapplied.map(({ amendment, problem, explanation }) => ({
    invariant: `amendment ${amendment.action} "${amendment.target}"`,
    evidence: `${problem}. The Proposer says: ${explanation || "nothing"}`,
    required_change: amendment.detail,
  }));
}
