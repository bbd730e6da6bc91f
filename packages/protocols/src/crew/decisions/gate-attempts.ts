import { resolveDecision } from "./change-decisions.ts";
import { GATE_DECISIONS, type UserDecision } from "./decision.ts";
import { asksForChanges, declined, gateAnswer } from "./gate-answers.ts";
import type { GateState } from "../states/states.ts";

/** One ask and three more. The count is never written down: it is 0 again after a resume and after each valid answer. */
export const MAX_ASKS = 4;

export type GateReply =
  | { readonly kind: "passed" | "changes_requested" | "blocked"; readonly decisions: UserDecision[] }
  | { readonly kind: "ask_again"; readonly asks: number };

/** What a response to a gate's question means. `asks` counts the times that the question was shown, this one included. */
export function takeGateAnswer(
  gate: GateState,
  decisions: readonly UserDecision[],
  { said, asks, at }: { readonly said: string | null; readonly asks: number; readonly at: string },
): GateReply {
  const id = GATE_DECISIONS[gate];
  const answer = said === null ? null : gateAnswer(gate, said);
  if (answer !== null) {
    const answered = resolveDecision(decisions, id, { status: "answered", answer }, at);
    const isChange = asksForChanges(answered.find(({ decision_id }) => decision_id === id) ?? null);
    return { kind: isChange ? "changes_requested" : "passed", decisions: answered };
  }
  const reason = said === null ? null : declined(said);
  if (reason === null && asks < MAX_ASKS) return { kind: "ask_again", asks: asks + 1 };
  return {
    kind: "blocked",
    decisions: resolveDecision(decisions, id, { status: "cancelled", reason: reason ?? `no valid answer after ${asks} asks` }, at),
  };
}
