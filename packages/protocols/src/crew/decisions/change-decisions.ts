import { SlipwayError } from "@slipway/agents/errors";
import type { CrewState } from "../states/states.ts";
import { APPROVE_DESIGN_ID, findDecision, REVIEW_STRATEGY_ID, type UserDecision } from "./decision.ts";

/** The next number after the highest that the session has. */
export function nextDecisionNumber(decisions: readonly UserDecision[]): number {
  const numbers = decisions.map(({ decision_id }) => Number(/^UD-([0-9]+)$/.exec(decision_id)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}

export interface AskingContext {
  readonly at: string;
  /** The state that is left for ASK_USER. */
  readonly stateContext: CrewState;
}

/** The entries of new questions, as they stand on disk before anything is shown. */
export function openDecisions(decisions: readonly UserDecision[], questions: readonly string[], { at, stateContext }: AskingContext) {
  const first = nextDecisionNumber(decisions);
  const opened = questions.map((question, index): UserDecision => pending(`UD-${first + index}`, question, at, stateContext));
  return { decisions: [...decisions, ...opened], opened: opened.map(({ decision_id }) => decision_id) };
}

/** The question of a gate: one entry per session, changed in place. `asked_at` is of the last time. */
export function openGate(
  decisions: readonly UserDecision[],
  gate: "APPROVE_DESIGN" | "REVIEW_STRATEGY",
  question: string,
  at: string,
): UserDecision[] {
  const id = gate === "APPROVE_DESIGN" ? APPROVE_DESIGN_ID : REVIEW_STRATEGY_ID;
  const entry = pending(id, question, at, gate);
  return findDecision(decisions, id) === null ? [...decisions, entry] : replaced(decisions, entry);
}

function pending(id: string, question: string, at: string, context: CrewState): UserDecision {
  return {
    decision_id: id,
    question,
    status: "pending",
    answer: null,
    asked_at: at,
    resolved_at: null,
    state_context: context,
    resolution_reason: null,
  };
}

function replaced(decisions: readonly UserDecision[], entry: UserDecision): UserDecision[] {
  return decisions.map((decision) => (decision.decision_id === entry.decision_id ? entry : decision));
}

export type DecisionEnd =
  | { readonly status: "answered"; readonly answer: string; readonly reason?: string }
  | { readonly status: "cancelled" | "skipped"; readonly reason: string };

/** Ends one pending decision. */
export function resolveDecision(decisions: readonly UserDecision[], id: string, resolution: DecisionEnd, at: string): UserDecision[] {
  const decision = findDecision(decisions, id);
  if (decision?.status !== "pending") throw notPending(id, decision);
  const { decision_id, question, asked_at, state_context } = decision;
  const fields = { decision_id, question, asked_at, state_context, resolved_at: at };
  return replaced(
    decisions,
    resolution.status === "answered"
      ? { ...fields, status: "answered", answer: resolution.answer, resolution_reason: resolution.reason ?? null }
      : { ...fields, status: resolution.status, answer: null, resolution_reason: resolution.reason },
  );
}

function notPending(id: string, decision: UserDecision | null): SlipwayError {
  return new SlipwayError("invalid_status_transition", `The decision ${id} is ${decision?.status ?? "missing"} in status.json.`, {
    field: "user_decisions",
    decision_id: id,
    suggested_next_actions: ["Read status.json again: a decision is resolved once."],
  });
}
