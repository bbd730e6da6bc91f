import { approvalHolds, type Holding } from "./approvals/holds.ts";
import { peekApproval } from "./approvals/token.ts";
import { rawBetween } from "../../host/git/raw.ts";
import type { Candidate } from "./candidate.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

/**
 * Whether an approval for an earlier candidate is valid for this one, and if not, why, for a person to read. The merge checks again, with
 * the signature.
 */
export async function checkApproval({ repository, clock }: FeatureDependencies, token: string, candidate: Candidate): Promise<Holding> {
  const { feature_id: feature, change, tree, base, policy_hash: policyHash, repository: place, message_digest, base_branch } = candidate;
  const approved = peekApproval(token);
  if (approved === null) return { holds: false, rule: "malformed", why: "it is not an approval token of this version" };
  // The digest of the change covers the old contents of every touched file. An equal digest means that the base did not change any of them.
  const holding = approvalHolds(
    approved,
    { feature, change, tree, base, policyHash, repository: place, message: message_digest, overlap: [] },
    clock.now(),
  );
  if (holding.holds || holding.rule !== "change" || approved.base === base) return holding;
  const git = await repository.vault();
  const [moved, own] = await Promise.all([rawBetween(git, approved.base, base), rawBetween(git, base, tree)]);
  const changed = new Set(moved.map(({ path }) => path));
  const overlap = own.map(({ path }) => path).filter((path) => changed.has(path));
  return overlap.length === 0
    ? holding
    : { ...holding, why: `${base_branch} has moved in files that the change touches: ${overlap.join(", ")}` };
}
