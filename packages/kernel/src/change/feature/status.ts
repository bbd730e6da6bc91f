import { SlipwayError } from "@slipway/durable/errors";

export const STATUSES = ["planning", "building", "qa", "blocked", "ready_to_merge", "merged", "failed"] as const;

export type FeatureStatus = (typeof STATUSES)[number];

/** Every change of status there is. `merged` is final; `failed` is left by a retry alone. */
export const TRANSITIONS: Record<FeatureStatus, readonly FeatureStatus[]> = {
  planning: ["building", "blocked", "failed"],
  building: ["qa", "blocked", "failed"],
  qa: ["ready_to_merge", "blocked", "failed"],
  blocked: ["planning", "building", "qa", "failed"],
  ready_to_merge: ["merged", "blocked", "failed"],
  merged: [],
  failed: ["planning", "building", "qa"],
};

/** Nobody works on these, they hold nothing, and their plans are in nobody's way. */
export const ENDED: readonly FeatureStatus[] = ["merged", "failed"];

/** What the kernel knows of the feature by its own records when a change of status is proposed. */
export interface EntryFacts {
  readonly planAccepted: boolean;
  readonly fastPassed: boolean;
  readonly fullPassed: boolean;
  readonly reason: string;
  readonly reasonChanged: boolean;
  /** Set only by the merge operation itself, after the base branch holds the commit. */
  readonly landed: boolean;
  /** Set only by the retry operation, which takes worktree, claims and locks again first. */
  readonly retried?: boolean;
}

const ENTRY: Record<FeatureStatus, (facts: EntryFacts, from: FeatureStatus) => string | null> = {
  planning: () => null,
  building: ({ planAccepted }) => (planAccepted ? null : "no plan has been accepted"),
  qa: ({ fastPassed }) => (fastPassed ? null : "the fast gates have not passed on the current tree"),
  ready_to_merge: ({ fullPassed }) => (fullPassed ? null : "the full gates have not passed on the current tree"),
  merged: ({ landed }) => (landed ? null : "only a merge makes a feature merged"),
  blocked: ({ reason }) => (reason === "" ? "a reason is needed" : null),
  failed: ({ reason }) => (reason === "" ? "a reason is needed" : null),
};

export function assertTransition(from: FeatureStatus, to: FeatureStatus, facts: EntryFacts): void {
  if (!TRANSITIONS[from].includes(to)) throw illegal(from, to, "there is no such change of status");
  if (from === "failed" && facts.retried !== true) throw illegal(from, to, "only a retry takes a failed feature up again");
  if (from === "blocked" && to !== "failed" && !facts.reasonChanged) throw illegal(from, to, "unblocking needs a new reason");
  const missing = ENTRY[to](facts, from);
  if (missing !== null) throw illegal(from, to, missing);
}

function illegal(from: FeatureStatus, to: FeatureStatus, why: string): SlipwayError {
  return new SlipwayError("invalid_status_transition", `A feature cannot go from ${from} to ${to}: ${why}.`, { from, to });
}
