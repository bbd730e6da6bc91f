import { SlipwayError } from "../../schema/errors.ts";

export const STATUSES = ["planning", "building", "qa", "blocked", "ready_to_merge", "merged", "failed"] as const;

export type FeatureStatus = (typeof STATUSES)[number];

/** Every legal transition. `merged` is final; only a retry leaves `failed`. */
export const TRANSITIONS: Record<FeatureStatus, readonly FeatureStatus[]> = {
  planning: ["building", "blocked", "failed"],
  building: ["qa", "blocked", "failed"],
  qa: ["ready_to_merge", "blocked", "failed"],
  blocked: ["planning", "building", "qa", "failed"],
  ready_to_merge: ["merged", "blocked", "failed"],
  merged: [],
  failed: ["planning", "building", "qa"],
};

/** Final for the run: no worker is active, no lock is held, and the plan claims nothing. */
export const ENDED: readonly FeatureStatus[] = ["merged", "failed"];

/** The kernel's own records of a feature, for checking a proposed transition. */
export interface EntryFacts {
  readonly planAccepted: boolean;
  readonly fastPassed: boolean;
  readonly fullPassed: boolean;
  readonly reason: string;
  readonly reasonChanged: boolean;
  /** Set only by the merge operation, after the base branch contains the commit. */
  readonly landed: boolean;
  /** Set only by the retry operation, after it has taken worktree, claims and locks again. */
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
  if (!TRANSITIONS[from].includes(to)) throw illegal(from, to, "this transition does not exist");
  if (from === "failed" && facts.retried !== true) throw illegal(from, to, "only a retry reopens a failed feature");
  if (from === "blocked" && to !== "failed" && !facts.reasonChanged) throw illegal(from, to, "unblocking needs a new reason");
  const missing = ENTRY[to](facts, from);
  if (missing !== null) throw illegal(from, to, missing);
}

function illegal(from: FeatureStatus, to: FeatureStatus, why: string): SlipwayError {
  return new SlipwayError("invalid_status_transition", `A feature cannot go from ${from} to ${to}: ${why}.`, { from, to });
}
