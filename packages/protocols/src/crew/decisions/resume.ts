import type { CrewState } from "../states/states.ts";
import { openGate } from "./change-decisions.ts";
import { GATE_DECISIONS, findDecision, type UserDecision } from "./decision.ts";
import { asksForChanges, passesGate } from "./gate-answers.ts";
import { correctionStep, type CorrectionStep, type GateTracking } from "./correction.ts";

/** The state that a question came from. Of several, the decisions that were asked last decide. */
export function returnState(decisions: readonly UserDecision[]): CrewState | null {
  const asked = decisions.filter(({ decision_id }) => /^UD-[0-9]/.test(decision_id));
  const latest = asked.toSorted((left, right) => Date.parse(left.asked_at) - Date.parse(right.asked_at)).at(-1);
  return latest?.state_context ?? null;
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
