import { SlipwayError } from "./errors.ts";
import { issueApproval } from "@slipway/kernel/change/land/approvals/approvals";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import { openRepositoryContext } from "@slipway/kernel/open";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { z } from "zod";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf, placesOf } from "@slipway/protocols/surface/caller";

const candidateShape = z.looseObject({
  feature_id: z.string(),
  change: z.string(),
  tree: z.string(),
  base: z.string(),
  policy_hash: z.string(),
  repository: z.string(),
  message: z.string(),
  message_digest: z.string(),
  valid_hours: z.number(),
});

type Signed = Pick<Candidate, "feature_id" | "change" | "tree" | "base" | "policy_hash" | "repository" | "message_digest" | "valid_hours">;

export type Given =
  | { readonly signed: true; readonly tree: string; readonly by: string; readonly until: string }
  | { readonly signed: false; readonly why: string };

const HOUR_MS = 3_600_000;

const OTHER_PLACE = "this is a clone or a copy of the repository that asked, or the repository was moved since";
const POLICY_CHANGED = "the policy or the gates have changed since it was asked";

/**
 * Signs exactly the change that the question shows, and answers the question with the token. After a change of the policy the token would
 * be invalid, so the question is asked again instead.
 */
export async function giveApproval(
  records: Records,
  question: InboxQuestion,
  io: Io,
  { policyHash, expectedTree }: { readonly policyHash: string; readonly expectedTree?: string | undefined },
): Promise<Given> {
  const by = personOf(io);
  const asked = await askedHere(records, question, policyHash, io);
  if (!("candidate" in asked)) {
    await records.answer({ id: question.id, value: { decision: "again", comment: asked.why }, by });
    return { signed: false, why: asked.why };
  }
  const { token, tree, until } = await signCandidate(records, asked.candidate, io, expectedTree);
  await records.answer({ id: question.id, value: { decision: "approve", token }, by });
  return { signed: true, tree, by: by.id, until };
}

/** What the question asked about, or why an approval of it would not hold. */
async function askedHere(
  records: Records,
  { context }: InboxQuestion,
  policyHash: string,
  io: Io,
): Promise<{ readonly candidate: z.infer<typeof candidateShape> } | { readonly why: string }> {
  if (context["policy_hash"] !== policyHash) return { why: POLICY_CHANGED };
  const { data: candidate } = candidateShape.safeParse(context);
  if (candidate === undefined) return { why: "an earlier version of Slipway asked, without the commit message" };
  // First, because after a move it says what to do about the worktree.
  const edited = await editedByHand(records, candidate.feature_id, io);
  if (candidate.repository !== (await recordedFeatures(records).repositoryId())) return { why: OTHER_PLACE };
  return edited === null ? { candidate } : { why: edited };
}

/** A person who edits the worktree and then approves may believe that the edit is part of the change. */
async function editedByHand(records: Records, id: string, io: Io): Promise<string | null> {
  const feature = await recordedFeatures(records).find(id);
  const edits = await (await openRepositoryView(io)).handWork(feature);
  return edits === null ? null : `${edits} in ${feature.worktree} is not part of the gated change`;
}

/** The hash of the committed policy, which a resumed run uses. */
export async function policyHashNow(io: Io): Promise<string> {
  return (await openRepositoryContext({ cwd: io.cwd, env: io.env, startsPrograms: false })).configuration.policyHash;
}

/** Printed instead of a token. */
export function notSigned(feature: string, why: string): string {
  return `Nothing was signed for ${feature}: ${why}.\n  next: slipway resume (it asks again)\n`;
}

/** Signs with a key that no agent can read. Refuses a tree other than the expected one. */
export async function signCandidate(
  records: Records,
  { feature_id, change, tree, base, policy_hash, repository, message_digest, valid_hours }: Signed,
  io: Io,
  expectedTree?: string,
): Promise<{ token: string; tree: string; by: string; until: string }> {
  if (expectedTree !== undefined && !tree.startsWith(expectedTree)) {
    throw new SlipwayError(
      "approval_invalid",
      `You asked to approve tree ${expectedTree}, but the change that would merge now has tree ${tree}.`,
      {
        feature_id,
        suggested_next_actions: [`Look at it again with \`slipway diff ${feature_id}\`.`],
      },
    );
  }
  const by = personOf(io);
  const key = await openApprovalKey({ configHome: placesOf(io).configHome, repositoryRoot: records.layout.root });
  const at = Math.floor(records.clock.now());
  const expiresAt = at + valid_hours * HOUR_MS;
  const token = issueApproval(key, records.ids, {
    feature: feature_id,
    change,
    tree,
    base,
    policyHash: policy_hash,
    repository,
    message: message_digest,
    by,
    at,
    expiresAt,
  });
  return { token, tree, by: by.id, until: new Date(expiresAt).toISOString() };
}
