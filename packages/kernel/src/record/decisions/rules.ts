import { SlipwayError } from "../../schema/errors.ts";
import type { Confidence, Decision, DecisionStatus, SettledConfidence } from "./decision.ts";

/** Who may end or replace a decision: only a user; a user, or anyone with a failure that implicates it; or anyone. */
export type Authority = "user" | "user_or_failure" | "anyone";

export interface ConfidenceRules {
  readonly supersede: Authority;
  /** To invalidate it, or to discard it while it is suspended. */
  readonly end: Authority;
  /** Whether it is invalidated when a phase fails. */
  readonly endsWithFailedPhase: boolean;
  /** Whether the protocol halts while it is in force. */
  readonly halts: boolean;
}

export const CONFIDENCE_RULES: Readonly<Record<SettledConfidence, ConfidenceRules>> = {
  canonical: { supersede: "user", end: "user", endsWithFailedPhase: false, halts: false },
  delegated: { supersede: "user_or_failure", end: "user_or_failure", endsWithFailedPhase: false, halts: false },
  inferred: { supersede: "anyone", end: "anyone", endsWithFailedPhase: false, halts: false },
  provisional: { supersede: "anyone", end: "anyone", endsWithFailedPhase: true, halts: false },
  blocking: { supersede: "user", end: "user", endsWithFailedPhase: false, halts: true },
};

export const DECISION_TRANSITIONS: Readonly<Record<DecisionStatus, readonly DecisionStatus[]>> = {
  active: ["superseded", "invalidated"],
  superseded: [],
  invalidated: [],
};

export type DecisionState = "in_force" | "suspended" | "superseded" | "invalidated";
export type DecisionAction = "supersede" | "invalidate" | "suspend" | "reinstate" | "discard";

/** What may happen to an entry in each state. */
export const DECISION_ACTIONS: Readonly<Record<DecisionState, readonly DecisionAction[]>> = {
  in_force: ["supersede", "invalidate", "suspend"],
  suspended: ["supersede", "invalidate", "reinstate", "discard"],
  superseded: [],
  invalidated: [],
};

type Lifecycle = Pick<Decision, "id" | "status" | "confidence" | "suspended_from" | "superseded_by">;

export function stateOf({ status, confidence }: Pick<Lifecycle, "status" | "confidence">): DecisionState {
  if (status !== "active") return status;
  return confidence === "suspended" ? "suspended" : "in_force";
}

/** The confidence whose rules apply: the one before the suspension, for a suspended entry. */
export function settledConfidence({ confidence, suspended_from }: Pick<Lifecycle, "confidence" | "suspended_from">): SettledConfidence {
  return confidence === "suspended" ? (suspended_from ?? "provisional") : confidence;
}

export function isAllowed(authority: Authority, { byUser, failure }: { readonly byUser: boolean; readonly failure: boolean }): boolean {
  return byUser || authority === "anyone" || (authority === "user_or_failure" && failure);
}

export function assertAction(decision: Lifecycle, action: DecisionAction): void {
  const state = stateOf(decision);
  if (DECISION_ACTIONS[state].includes(action)) return;
  const now = state === "superseded" ? `superseded by ${decision.superseded_by}` : state.replace("_", " ");
  throw new SlipwayError("invalid_status_transition", `The decision ${decision.id} is ${now}; ${ACTION_TEXT[action]} is not possible.`, {
    decision_id: decision.id,
    state,
    action,
    suggested_next_actions: NEXT[state](decision),
  });
}

const ACTION_TEXT: Readonly<Record<DecisionAction, string>> = {
  supersede: "to supersede it",
  invalidate: "to invalidate it",
  suspend: "to suspend it",
  reinstate: "to reinstate it",
  discard: "to discard it",
};

const NEXT: Readonly<Record<DecisionState, (decision: Lifecycle) => string[]>> = {
  in_force: () => ["Only a suspended decision can be reinstated or discarded; invalidate this one instead."],
  suspended: () => ["Reinstate it with a validation proof, or discard it."],
  superseded: ({ superseded_by }) => [`Use ${superseded_by ?? "the entry that replaced it"} instead.`],
  invalidated: () => ["Append a new decision."],
};

export function assertAuthority(
  decision: Lifecycle,
  action: "supersede" | "end",
  by: { readonly byUser: boolean; readonly failure: boolean },
): void {
  const confidence = settledConfidence(decision);
  const authority = CONFIDENCE_RULES[confidence][action];
  if (isAllowed(authority, by)) return;
  const verb = action === "supersede" ? "superseded" : "ended";
  const who = authority === "user" ? "by a user" : "by a user, or after a failure that implicates it";
  throw new SlipwayError("decision_protected", `The decision ${decision.id} is ${confidence}: it can be ${verb} only ${who}.`, {
    decision_id: decision.id,
    confidence,
    authority,
    suggested_next_actions: ["Ask a person, and repeat the call with the id of the answered question in `answer_to`."],
  });
}

/** Entries that halt the protocol: unresolved contradictions in force. */
export function haltingDecisions<D extends Pick<Decision, "status" | "confidence">>(entries: readonly D[]): D[] {
  return entries.filter(({ status, confidence }) => status === "active" && halts(confidence));
}

function halts(confidence: Confidence): boolean {
  return confidence !== "suspended" && CONFIDENCE_RULES[confidence].halts;
}
