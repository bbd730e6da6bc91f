import { isSecurityDecision, securityOption } from "./security.ts";
import { resolveDecision } from "./change-decisions.ts";
import { findDecision, type UserDecision } from "./decision.ts";
import { declined } from "./gate-answers.ts";

/** What came back for one question; nothing is null. */
export type Said = string | null;

export interface AnswerBatch {
  /** The ids that were shown. */
  readonly asked: readonly string[];
  readonly said: Readonly<Record<string, Said>>;
  readonly at: string;
  /** Security questions that were asked before and left open: only these can be declined. */
  readonly askedAgain: ReadonlySet<string>;
}

export interface AnswersTaken {
  readonly decisions: UserDecision[];
  /** Security questions that are asked again, alone. */
  readonly askAgain: readonly string[];
}

export const NO_RESPONSE = "no response provided";

/** A response to several questions, taken entry by entry. What was not answered is cancelled, except where security is concerned. */
export function takeAnswers(decisions: readonly UserDecision[], { asked, said, at, askedAgain }: AnswerBatch): AnswersTaken {
  let next = [...decisions];
  const askAgain: string[] = [];
  for (const id of asked) {
    const text = said[id]?.trim() === "" ? null : (said[id] ?? null);
    const decision = findDecision(next, id);
    const isSecurity = decision !== null && isSecurityDecision(decision);
    const reason = text === null ? null : declined(text);
    const option = text === null ? null : securityOption(text);
    if (isSecurity && option === null && (reason === null || !askedAgain.has(id))) askAgain.push(id);
    else if (text === null) next = resolveDecision(next, id, { status: "cancelled", reason: NO_RESPONSE }, at);
    else if (reason !== null) next = resolveDecision(next, id, { status: "cancelled", reason }, at);
    else next = resolveDecision(next, id, { status: "answered", answer: isSecurity ? (option ?? text) : text }, at);
  }
  return { decisions: next, askAgain };
}
