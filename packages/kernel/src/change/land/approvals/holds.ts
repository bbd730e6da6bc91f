/** The facts that a person approved. */
export interface Approved {
  readonly feature: string;
  /** Digest of the change itself, independent of its base. */
  readonly change: string;
  /** The tree that was gated and shown. */
  readonly tree: string;
  /** The commit the change was shown against. */
  readonly base: string;
  readonly policyHash: string;
  /** The repository in its place: no clone or copy of it. */
  readonly repository: string;
  /** Digest of the commit message, without what Slipway adds, and of the strategy. */
  readonly message: string;
  readonly expiresAt: number;
}

/** The candidate to merge. */
export interface ApprovalCandidate {
  readonly feature: string;
  readonly change: string;
  readonly tree: string;
  readonly base: string;
  readonly policyHash: string;
  readonly repository: string;
  readonly message: string;
  /** Paths of the change that also changed between the approved base and this one. Undefined means unknown. */
  readonly overlap?: readonly string[];
}

export type Holding = { readonly holds: true } | { readonly holds: false; readonly rule: Rule; readonly why: string };
export type Rule = "feature" | "policy" | "change" | "tree" | "base" | "repository" | "message" | "expired" | "malformed";

/** Invariant 2: only approved content merges. */
export function approvalHolds(approved: Approved, candidate: ApprovalCandidate, now: number): Holding {
  if (approved.feature !== candidate.feature) return no("feature", `it is for "${approved.feature}"`);
  if (approved.repository !== candidate.repository) {
    return no("repository", "it was given in another clone or copy of the repository, or the repository was moved since");
  }
  if (now >= approved.expiresAt) return no("expired", `it was valid until ${new Date(approved.expiresAt).toISOString()}`);
  if (approved.policyHash !== candidate.policyHash) return no("policy", "the policy or the gates have changed since");
  if (approved.change !== candidate.change) return no("change", "the change differs from the approved one");
  if (approved.message !== candidate.message)
    return no("message", "the commit message or the merge strategy differs from the approved one");
  if (approved.base === candidate.base) {
    return approved.tree === candidate.tree ? { holds: true } : no("tree", "the resulting tree differs from the approved one");
  }
  if (candidate.overlap === undefined) return no("base", "the base has moved, and the files it changed are unknown");
  if (candidate.overlap.length > 0)
    return no("base", `the base has changed files that the change touches: ${candidate.overlap.join(", ")}`);
  return { holds: true };
}

function no(rule: Rule, why: string): Holding {
  return { holds: false, rule, why };
}
