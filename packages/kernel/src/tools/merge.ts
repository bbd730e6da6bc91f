import { z } from "zod";
import { tool } from "./tool.ts";

export const COMMIT_MESSAGE =
  "Message of the feature's one commit. Slipway adds its trailers (Slipway-Feature, Slipway-Change, Approved-by), which the message may not have.";

export const APPROVAL_TOKEN =
  "From `slipway approve`. Valid once and for a limited time, for one change, message and strategy in one repository.";

const gateSnapshot = z.strictObject({
  gates: z.record(z.string(), z.string()),
  runs: z.array(z.strictObject({ id: z.string(), mode: z.string(), status: z.string(), counts: z.json(), at: z.number() })),
});

export const mergeTools = [
  tool({
    name: "feature.ready_to_merge",
    kind: "mutating",
    description: [
      "Merges a feature into the base branch: one commit with the whole reviewed change on the feature's branch, then the merge. Nothing reaches the base branch in any other way.",
      "Needs status ready_to_merge (else invalid_status_transition); the full gate and the policy's required_merge_mode passed on exactly this content (else gate_failed); every lock the plan needs, checked right before the merge (else lock_not_held); and, unless the policy waives it, an approval token for exactly this change, message and strategy, which only a person can create (else user_approval_required; the call leaves its message for the person: ask for a review and `slipway approve`, then repeat the call with the same message and the token).",
      "evidence_tampered: a recorded gate result is not the one that the journal has.",
      "A strategy the policy does not allow fails with merge_disabled. base_moved: the base branch has new commits, so the change must be rebuilt on it and gated again. merge_failed: it conflicts with them. checkout_in_the_way: a person's uncommitted files would be overwritten. worktree_edited: a person has edited or committed in the feature's worktree, and decides with `slipway adopt` or `slipway set-aside`; the same call may be repeated then. In all of these cases nothing has changed.",
      "On success the feature is merged, its locks are released, and the evidence names both commits, the strategy and the gate results.",
    ].join(" "),
    input: z.strictObject({
      feature_id: z.string().min(1).describe("The feature's id."),
      commit_message: z.string().min(1).describe(COMMIT_MESSAGE),
      merge_strategy: z.string().min(1).describe("merge_commit, squash or rebase, if merge_policy.allowed_strategies has it."),
      user_approval_token: z.string().optional().describe(APPROVAL_TOKEN),
    }),
    output: z.strictObject({
      commit: z.string().describe("The new head of the base branch."),
      feature_commit: z.string().describe("The one commit of the feature's branch."),
      tree: z.string(),
      base_branch: z.string(),
      base_before: z.string(),
      strategy: z.string(),
      approved_by: z.string(),
      checkout_updated: z.boolean().describe("Whether a checkout of the base branch was brought forward."),
      gate_snapshot: gateSnapshot,
    }),
    async call(kernel, input, call) {
      const { gate_snapshot, ...landing } = await kernel.features.merge(call, input);
      return { data: { ...landing, gate_snapshot: gateSnapshot.parse(gate_snapshot) } };
    },
  }),
];
