import type { Decision } from "../../artifacts/status.ts";
import type { Challenge } from "./schemas.ts";

/** What a module may be revised for: an objection, a rejection, a fingerprint or a test at ship. They share it. */
export const MAX_REVISIONS = 2;

export type Verdict = Challenge["verdict"];

export function afterChallenge(verdict: Verdict, retryCount: number): "revise" | "adjudicate" {
  return verdict === "FAIL" && retryCount < MAX_REVISIONS ? "revise" : "adjudicate";
}

/** With no revision left, an objection that stands can be amended away or kept; it cannot be overlooked. */
export function allowedDecisions(verdict: Verdict, retryCount: number): readonly Decision[] {
  return verdict === "FAIL" && retryCount >= MAX_REVISIONS
    ? ["APPROVE_WITH_AMENDMENTS", "REJECT"]
    : ["APPROVE", "APPROVE_WITH_AMENDMENTS", "REJECT"];
}

export function afterAdjudication(decision: Decision, retryCount: number): "ship" | "amend" | "revise" | "halt" {
  if (decision === "APPROVE") return "ship";
  if (decision === "APPROVE_WITH_AMENDMENTS") return "amend";
  return afterFailure(retryCount);
}

/** After a ship step that refused, or a proposal that was none. */
export function afterFailure(retryCount: number): "revise" | "halt" {
  return retryCount < MAX_REVISIONS ? "revise" : "halt";
}
