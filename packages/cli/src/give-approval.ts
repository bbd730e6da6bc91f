import { SlipwayError } from "@slipway/durable/errors";
import { issueApproval } from "@slipway/kernel/approvals/approvals";
import { openApprovalKey } from "@slipway/kernel/approvals/key";
import type { Candidate } from "@slipway/kernel/features/candidate";
import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Records } from "@slipway/kernel/records";
import { z } from "zod";
import type { Io } from "./io.ts";
import { personOf, placesOf } from "./places.ts";

const candidateShape = z.looseObject({
  feature_id: z.string(),
  change: z.string(),
  tree: z.string(),
  base: z.string(),
  policy_hash: z.string(),
});

type Signed = Pick<Candidate, "feature_id" | "change" | "tree" | "base" | "policy_hash">;

/** Signs exactly what the question shows, and answers with it. */
export async function giveApproval(
  records: Records,
  question: InboxQuestion,
  io: Io,
  expectedTree?: string,
): Promise<{ tree: string; by: string }> {
  const { token, tree } = await signCandidate(records, candidateShape.parse(question.context), io, expectedTree);
  const by = personOf(io);
  await records.answer({ id: question.id, value: { decision: "approve", token }, by });
  return { tree, by: by.id };
}

/** With a key that no agent can read. A tree other than the expected one is not signed. */
export async function signCandidate(
  records: Records,
  { feature_id, change, tree, base, policy_hash }: Signed,
  io: Io,
  expectedTree?: string,
): Promise<{ token: string; tree: string; by: string }> {
  if (expectedTree !== undefined && !tree.startsWith(expectedTree)) {
    throw new SlipwayError("approval_invalid", `You asked to approve tree ${expectedTree}, but what would merge now is tree ${tree}.`, {
      feature_id,
      suggested_next_actions: [`Look at it again with \`slipway diff ${feature_id}\`.`],
    });
  }
  const by = personOf(io);
  const key = await openApprovalKey({ configHome: placesOf(io).configHome, repositoryRoot: records.layout.root });
  const token = issueApproval(key, records.ids, {
    feature: feature_id,
    change,
    tree,
    base,
    policyHash: policy_hash,
    by,
    at: Math.floor(records.clock.now()),
  });
  return { token, tree, by: by.id };
}
