import { GATE_DECISIONS, type UserDecision } from "./decision.ts";
import type { GateState } from "../states/states.ts";

export const APPROVED = "approved";
export const CHANGES_REQUESTED = "changes-requested:";
export const STRATEGIES = ["per-batch", "single-final"] as const;
export type ReviewStrategy = (typeof STRATEGIES)[number];

/** What people say, by what is stored for it. Anything else is asked again: nothing is guessed. */
const SYNONYMS: Readonly<Record<GateState, Readonly<Record<string, readonly string[]>>>> = {
  APPROVE_DESIGN: {
    [APPROVED]: [
      "approve",
      "approve it",
      "i approve",
      "yes",
      "y",
      "ok",
      "okay",
      "looks good",
      "looks good to me",
      "lgtm",
      "go",
      "go ahead",
      "ship it",
      "fine",
      "accepted",
      "accept",
      "+1",
    ],
  },
  REVIEW_STRATEGY: {
    "per-batch": [
      "per batch",
      "per_batch",
      "perbatch",
      "batch",
      "per task",
      "per-task",
      "each task",
      "after each task",
      "after each batch",
      "every task",
    ],
    "single-final": [
      "single final",
      "single_final",
      "singlefinal",
      "single",
      "final",
      "once",
      "at the end",
      "once at the end",
      "single review at the end",
      "one final review",
    ],
  },
};

const CHANGE_FORMS = /^(?:changes?[- ]requested|request(?:ing)? changes?|changes?|reject(?:ed)?|no)\s*:\s*(\S[^]*)$/i;

function plain(text: string): string {
  return text
    .trim()
    .replace(/[.!\s]+$/, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
}

/** The answer as it is stored, or null for one that the gate does not know. */
export function gateAnswer(gate: GateState, said: string): string | null {
  const text = said.trim();
  const word = plain(text);
  const known = Object.entries(SYNONYMS[gate]).find(([stored, forms]) => stored === word || forms.includes(word));
  if (known !== undefined) return known[0];
  return gate === "APPROVE_DESIGN" ? designAnswer(text) : null;
}

function designAnswer(text: string): string | null {
  if (text.startsWith(APPROVED) || text.startsWith(CHANGES_REQUESTED)) return text;
  const changes = CHANGE_FORMS.exec(text)?.[1];
  return changes === undefined ? null : changesRequested(changes);
}

/** What is stored for the choice "changes" with its text. */
export function changesRequested(text: string): string {
  return `${CHANGES_REQUESTED} ${text.trim()}`;
}

export function isApproved(decision: UserDecision | null): boolean {
  return decision?.status === "answered" && decision.answer.startsWith(APPROVED);
}

export function asksForChanges(decision: UserDecision | null): boolean {
  return decision?.status === "answered" && decision.answer.startsWith(CHANGES_REQUESTED);
}

export function isStrategy(decision: UserDecision | null): boolean {
  return strategyOf(decision) !== null;
}

export function strategyOf(decision: UserDecision | null): ReviewStrategy | null {
  return decision?.status === "answered" ? (STRATEGIES.find((strategy) => strategy === decision.answer) ?? null) : null;
}

/** Whether the stored decision lets the session past the gate. */
export function passesGate(gate: GateState, decisions: readonly UserDecision[]): boolean {
  const decision = decisions.find(({ decision_id }) => decision_id === GATE_DECISIONS[gate]) ?? null;
  return gate === "APPROVE_DESIGN" ? isApproved(decision) : isStrategy(decision);
}

const DECLINED = ["cancel", "cancelled", "defer", "deferred", "later", "not now", "decide later", "skip", "abort", "stop"];
const DECLINE_FORM = /^(?:cancel(?:led)?|defer(?:red)?|later|decline[d]?)\s*:\s*(\S[^]*)$/i;

/** Why a person declines to answer, in their terms; null if they do not decline. */
export function declined(said: string): string | null {
  const reason = DECLINE_FORM.exec(said.trim())?.[1];
  if (reason !== undefined) return `user deferred: ${reason.trim()}`;
  return DECLINED.includes(plain(said)) ? `user declined: ${said.trim()}` : null;
}
