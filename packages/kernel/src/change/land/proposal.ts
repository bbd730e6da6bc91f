import { isDeepStrictEqual } from "node:util";
import { sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Db } from "../../record/database/tables.ts";
import type { Call } from "../../record/operations/call.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { SlipwayError } from "../../schema/errors.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Landing, MergeCall } from "./merge.ts";
import { mergeWords } from "./merge-message.ts";

const proposalInput = z.strictObject({
  feature_id: z.string(),
  commit_message: mergeWords.commit_message.unwrap(),
  merge_strategy: z.string().optional(),
});
type ProposalInput = z.infer<typeof proposalInput>;

/** What a client wants its merge to say: a person sees it before approving. */
export interface MergeProposal {
  readonly commit_message: string;
  readonly merge_strategy?: string;
}

/** Records the message of a merge that lacks an approval for it. The newest counts. */
function proposeOperation({ configuration }: FeatureDependencies): Operation<ProposalInput, undefined, null> {
  return {
    name: "feature.propose_message",
    roles: [
      ...rolesFor(configuration.policy.rbac, "feature.ready_to_merge"),
      ...rolesFor(configuration.policy.rbac, "repo.merge"),
      "person",
    ],
    input: proposalInput,
    async commit(tx, { feature_id, commit_message, merge_strategy }, _effect, { at }) {
      const row = { feature_id, commit_message, merge_strategy: merge_strategy ?? null, at };
      await tx
        .insertInto("merge_proposals")
        .values(row)
        .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
        .execute();
      return null;
    },
    event: ({ feature_id, commit_message }) => ({ feature_id, message: sha256(commit_message) }),
  };
}

export async function mergeProposal(db: Db, feature_id: string): Promise<MergeProposal | null> {
  const row = await db.selectFrom("merge_proposals").selectAll().where("feature_id", "=", feature_id).executeTakeFirst();
  if (row === undefined) return null;
  return { commit_message: row.commit_message, ...(row.merge_strategy !== null && { merge_strategy: row.merge_strategy }) };
}

type Merge = (call: Call, input: MergeCall) => Promise<Landing>;
type Propose = (operation: Operation<ProposalInput, undefined, null>, call: Call, input: ProposalInput) => Promise<null>;

/** A merge that is refused for want of an approval leaves its message for the person who approves. */
export function proposingMerge(dependencies: FeatureDependencies, perform: Propose, merge: Merge): Merge {
  return async (call, input) => {
    try {
      return await merge(call, input);
    } catch (error) {
      const { feature_id, commit_message, merge_strategy } = input;
      if (commit_message === undefined || !(error instanceof SlipwayError) || error.code !== "user_approval_required") throw error;
      const wanted = { commit_message, ...(merge_strategy !== undefined && { merge_strategy }) };
      // A repeated refusal changes nothing.
      if (isDeepStrictEqual(await mergeProposal(dependencies.db, feature_id), wanted)) throw error;
      const operationId = `proposal:${sha256(call.operationId).slice(0, 32)}`;
      await perform(proposeOperation(dependencies), { actor: call.actor, operationId }, { feature_id, ...wanted });
      throw error;
    }
  };
}
