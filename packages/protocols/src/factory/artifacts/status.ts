import { SlipwayError } from "@slipway/agents/errors";

export const ARTIFACT_STATUSES = ["DRAFT", "CHALLENGED", "ADJUDICATED", "SHIPPED", "DEPRECATED"] as const;
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];

export const ARTIFACT_TRANSITIONS: Record<ArtifactStatus, readonly ArtifactStatus[]> = {
  DRAFT: ["CHALLENGED"],
  CHALLENGED: ["ADJUDICATED"],
  ADJUDICATED: ["SHIPPED", "DRAFT"],
  SHIPPED: ["DEPRECATED"],
  DEPRECATED: [],
};

export const DECISIONS = ["APPROVE", "APPROVE_WITH_AMENDMENTS", "REJECT"] as const;
export type AdjudicationDecision = (typeof DECISIONS)[number];

/** The facts that justify a change of status. The caller looks them up and the store checks them again. */
export type StatusEvidence =
  | { readonly to: "CHALLENGED"; readonly challenge: string }
  | { readonly to: "ADJUDICATED"; readonly adjudication: string }
  | { readonly to: "SHIPPED"; readonly amendmentsApplied: boolean; readonly evidence: ShipFacts }
  | { readonly to: "DRAFT"; readonly revisionsLeft: number }
  | { readonly to: "DEPRECATED"; readonly successor: string };

export type ShipFacts =
  /** For code: the test result, and the fingerprint beside the locked one. */
  | { readonly kind: "code"; readonly result: "PASS" | "FAIL"; readonly fingerprint: string; readonly lockedFingerprint: string | null }
  | { readonly kind: "other"; readonly validatorsPassed: boolean };

/** Facts from the store's own records. */
export interface StatusFacts {
  readonly from: ArtifactStatus;
  /** Of the adjudication that made it ADJUDICATED. */
  readonly decision: AdjudicationDecision | null;
  /** Whether an artifact of the right type names this one as an input. */
  readonly isReferencedBy: (ref: string, type: "CHALLENGE" | "ADJUDICATION") => boolean;
  readonly isShipped: (ref: string) => boolean;
}

export function assertArtifactTransition(facts: StatusFacts, ground: StatusEvidence): void {
  const { from } = facts;
  if (!ARTIFACT_TRANSITIONS[from].includes(ground.to)) throw illegal(from, ground.to, "there is no such change of status");
  const problem = problemOf(facts, ground);
  if (problem !== null) throw illegal(from, ground.to, problem);
}

function problemOf({ decision, isReferencedBy, isShipped }: StatusFacts, ground: StatusEvidence): string | null {
  switch (ground.to) {
    case "CHALLENGED":
      return isReferencedBy(ground.challenge, "CHALLENGE") ? null : `${ground.challenge} is no challenge of it`;
    case "ADJUDICATED":
      return isReferencedBy(ground.adjudication, "ADJUDICATION") ? null : `${ground.adjudication} is no adjudication of it`;
    case "DRAFT":
      if (decision !== "REJECT") return "it was not rejected";
      return ground.revisionsLeft > 0 ? null : "no revision is left, so the project halts";
    case "DEPRECATED":
      return isShipped(ground.successor) ? null : `its successor ${ground.successor} is not shipped`;
    case "SHIPPED":
      return shipProblem(decision, ground);
  }
}

function shipProblem(decision: AdjudicationDecision | null, ground: Extract<StatusEvidence, { to: "SHIPPED" }>): string | null {
  const { amendmentsApplied, evidence } = ground;
  if (decision === null || decision === "REJECT") return "no adjudication approves it";
  if (decision === "APPROVE_WITH_AMENDMENTS" && !amendmentsApplied) return "not all amendments are applied";
  if (evidence.kind === "other") return evidence.validatorsPassed ? null : "its validators have not passed";
  if (evidence.lockedFingerprint === null) return "no contract fingerprint is locked for it";
  if (evidence.result !== "PASS") return "its ship evidence is not PASS";
  if (evidence.fingerprint === evidence.lockedFingerprint) return null;
  return `Interface fingerprint mismatch: expected ${evidence.lockedFingerprint}, got ${evidence.fingerprint}`;
}

function illegal(from: ArtifactStatus, to: ArtifactStatus, why: string): SlipwayError {
  return new SlipwayError("invalid_status_transition", `An artifact cannot go from ${from} to ${to}: ${why}.`, {
    from,
    to,
    suggested_next_actions: [
      ARTIFACT_TRANSITIONS[from].length === 0
        ? "Create a new version; this one does not change."
        : `From ${from} it can become ${ARTIFACT_TRANSITIONS[from].join(" or ")}, on the ground that change needs.`,
    ],
  });
}
