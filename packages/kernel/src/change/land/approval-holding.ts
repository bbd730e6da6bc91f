import { approvalHolds, type Holding } from "./approvals/holds.ts";
import { peekApproval } from "./approvals/token.ts";
import { rawBetween } from "../../host/git/raw.ts";
import type { Candidate } from "./candidate.ts";
import type { Rooms } from "../feature/dependencies.ts";

/**
 * Whether an approval given for an earlier candidate still holds for this one, and if not, why in words a person can check. The
 * merge itself looks again, with the signature.
 */
export async function holdingOf({ repository, clock }: Rooms, token: string, candidate: Candidate): Promise<Holding> {
  const { feature_id: feature, change, tree, base, policy_hash: policyHash, base_branch } = candidate;
  const approved = peekApproval(token);
  if (approved === null) return { holds: false, rule: "malformed", why: "it is no approval of Slipway's" };
  // The change's digest covers the old contents of every touched file: if it is the same, none of them moved with the base.
  const holding = approvalHolds(approved, { feature, change, tree, base, policyHash, overlap: [] }, clock.now());
  if (holding.holds || holding.rule !== "change" || approved.base === base) return holding;
  const git = await repository.vault();
  const [moved, own] = await Promise.all([rawBetween(git, approved.base, base), rawBetween(git, base, tree)]);
  const changed = new Set(moved.map(({ path }) => path));
  const overlap = own.map(({ path }) => path).filter((path) => changed.has(path));
  return overlap.length === 0
    ? holding
    : { ...holding, why: `${base_branch} has moved in files that the change touches: ${overlap.join(", ")}` };
}
