import type { AdjudicationDecision } from "../../artifacts/status.ts";
import type { Challenge } from "./schemas.ts";

/** Shared by all reasons to revise: objection, rejection, fingerprint mismatch, failing test at ship. */
export const MAX_REVISIONS = 2;

/** Where a round of the debate goes next. */
export type DebateRoute = "revise" | "adjudicate" | "amend" | "ship" | "halt";

export type DebateVerdict = Challenge["verdict"];

export function afterChallenge(verdict: DebateVerdict, retryCount: number): "revise" | "adjudicate" {
  return verdict === "FAIL" && retryCount < MAX_REVISIONS ? "revise" : "adjudicate";
}

/** With no revision left, a standing objection can be amended or rejected, but not approved over. */
export function allowedDecisions(verdict: DebateVerdict, retryCount: number): readonly AdjudicationDecision[] {
  return verdict === "FAIL" && retryCount >= MAX_REVISIONS
    ? ["APPROVE_WITH_AMENDMENTS", "REJECT"]
    : ["APPROVE", "APPROVE_WITH_AMENDMENTS", "REJECT"];
}

export function afterAdjudication(decision: AdjudicationDecision, retryCount: number): "ship" | "amend" | "revise" | "halt" {
  if (decision === "APPROVE") return "ship";
  if (decision === "APPROVE_WITH_AMENDMENTS") return "amend";
  return afterFailure(retryCount);
}

/** After the ship step refused, or no valid proposal came. */
export function afterFailure(retryCount: number): "revise" | "halt" {
  return retryCount < MAX_REVISIONS ? "revise" : "halt";
}
