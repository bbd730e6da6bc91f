import type { CrewState } from "../states/states.ts";
import { openGate, resolveDecision } from "./change-decisions.ts";
import { GATE_DECISIONS, findDecision, pendingDecisions, type UserDecision } from "./decision.ts";
import { asksForChanges, passesGate } from "./gate-answers.ts";
import { correctionStep, type CorrectionStep, type GateTracking } from "./correction.ts";

/** The state that a question came from. Of several, the decisions that were asked last decide. */
export function returnState(decisions: readonly UserDecision[]): CrewState | null {
  const asked = decisions.filter(({ decision_id }) => /^UD-[0-9]/.test(decision_id));
  const latest = asked.toSorted((left, right) => Date.parse(left.asked_at) - Date.parse(right.asked_at)).at(-1);
  return latest?.state_context ?? null;
}

export interface Settling {
  readonly decisions: UserDecision[];
  /** Pending decisions, the only ones that are asked again. */
  readonly ask: readonly string[];
}

/** What a resumed session settles first. `moot` says of decisions why nobody needs them any more. */
export function settleOnResume(decisions: readonly UserDecision[], moot: Readonly<Record<string, string>>, at: string): Settling {
  let next = [...decisions];
  for (const { decision_id } of pendingDecisions(decisions)) {
    const reason = moot[decision_id];
    // A gate is never moot.
    if (reason !== undefined && /^UD-[0-9]/.test(decision_id)) next = resolveDecision(next, decision_id, { status: "skipped", reason }, at);
  }
  return { decisions: next, ask: pendingDecisions(next).map(({ decision_id }) => decision_id) };
}

/** What a session does that is resumed in a gate. */
export type GateResume =
  { readonly kind: "ask" } | { readonly kind: "leave" } | { readonly kind: "correct"; readonly step: CorrectionStep };

export function resumeApproval(decisions: readonly UserDecision[], tracking: GateTracking | undefined, isDone: boolean): GateResume {
  if (passesGate("APPROVE_DESIGN", decisions)) return { kind: "leave" };
  if (!asksForChanges(findDecision(decisions, GATE_DECISIONS.APPROVE_DESIGN))) return { kind: "ask" };
  const step = correctionStep(tracking, isDone);
  return step === "ask" ? { kind: "ask" } : { kind: "correct", step };
}

export function resumeStrategy(decisions: readonly UserDecision[]): GateResume {
  return passesGate("REVIEW_STRATEGY", decisions) ? { kind: "leave" } : { kind: "ask" };
}

/** A cancelled decision of a gate is asked again where a blocked session is resumed. */
export function reopenCancelledGate(decisions: readonly UserDecision[], at: string): UserDecision[] {
  return (["APPROVE_DESIGN", "REVIEW_STRATEGY"] as const).reduce<UserDecision[]>(
    (all, gate) => {
      const decision = findDecision(all, GATE_DECISIONS[gate]);
      return decision?.status === "cancelled" ? openGate(all, gate, decision.question, at) : all;
    },
    [...decisions],
  );
}
