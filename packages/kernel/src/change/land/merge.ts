import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { consumeApproval, readApproval, type Approval } from "./approvals/approvals.ts";
import { rolesFor } from "../../config/rbac.ts";
import { alignIndex } from "../../host/git/checkout.ts";
import { changeBetween } from "../../host/git/change.ts";
import { buildMerge, hasLanded, landMerge, type BuiltMerge, type Landed, type MergeStrategy } from "../../host/git/merge.ts";
import { releaseAllWithin } from "../turn/locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { headOf } from "./candidate.ts";
import { identityOf } from "../feature/identity.ts";
import { assertLocksHeld } from "../turn/lock-operations.ts";
import { assertReady, chosenStrategy, gatedAt, gateSnapshot, messageFor, type GateSnapshot } from "./merge-checks.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { settle } from "../work/settle.ts";
import { assertTransition } from "../feature/status.ts";
import { findFeature, updateFeature, type Feature } from "../feature/store.ts";

const mergeInput = z.strictObject({
  feature_id: z.string(),
  user_approval_token: z.string().optional(),
  commit_message: z.string().min(1).optional(),
  merge_strategy: z.string().optional(),
});

export interface Landing {
  /** What the base branch points to now. */
  readonly commit: string;
  /** The one commit of the feature's branch. */
  readonly feature_commit: string;
  readonly tree: string;
  readonly base_branch: string;
  readonly base_before: string;
  readonly strategy: MergeStrategy;
  readonly approved_by: string;
  readonly checkout_updated: boolean;
  readonly gate_snapshot: GateSnapshot;
}

interface Merged {
  readonly landing: Landing;
  readonly change: string;
  readonly approval: Approval | null;
}

/** Who is named where the policy asks for nobody's approval. */
const NOBODY = "nobody: merge_policy.require_user_approval is false";

/** What merges is what was gated and what was approved, by compare-and-swap; then the row, the approval and the evidence in one transaction. */
export function mergeOperation(rooms: Rooms): Operation<z.infer<typeof mergeInput>, Merged, Landing> {
  const { repository, configuration, db, approvalKey, clock } = rooms;
  const { policy, policyHash } = configuration;
  return {
    name: "feature.ready_to_merge",
    roles: [...rolesFor(policy.rbac, "feature.ready_to_merge"), "person"],
    input: mergeInput,
    async effect({ feature_id, user_approval_token: token = "", merge_strategy, commit_message }, { operationId, at, redriven }) {
      const feature = await findFeature(db, feature_id);
      const strategy = chosenStrategy(policy, merge_strategy);
      await assertReady(rooms, feature);
      const { digest: change } = await changeBetween(repository, feature.base_commit, feature.tree);
      const thing = approvedThing(feature.id, change, feature.tree, feature.base_commit);
      const needed = policy.merge_policy.require_user_approval || token !== "";
      const approvedAsOf = async (now: number) => (needed ? readApproval(db, approvalKey, token, thing, now) : null);
      // An earlier attempt may have landed it: what has run out since then counts no more.
      const approval = await approvedAsOf(redriven ? 0 : at);
      const built = await build(feature, {
        strategy,
        message: commit_message ?? (await messageFor(rooms, feature, change, approval)),
        // Not the clock's time: a repeated attempt builds the very same commit.
        at: approval?.at ?? (await gatedAt(rooms, feature)),
      });
      const landedBefore = redriven && (await hasLanded(repository, feature.base_branch, built.commit));
      if (redriven && !landedBefore) await approvedAsOf(at);
      // Bytes that nobody approved are neither merged nor dropped. What has landed has moved the branch itself.
      if (!landedBefore) await settle(rooms, feature, operationId, at);
      const { checkoutUpdated } = await land(feature, built, landedBefore);
      await alignIndex(repository, feature.worktree, built.featureCommit);
      const landing: Landing = {
        commit: built.commit,
        feature_commit: built.featureCommit,
        tree: built.tree,
        base_branch: feature.base_branch,
        base_before: feature.base_commit,
        strategy,
        approved_by: approval?.by ?? NOBODY,
        checkout_updated: checkoutUpdated,
        gate_snapshot: await gateSnapshot(rooms, feature),
      };
      return { landing, change, approval };
    },
    async commit(tx, { feature_id, user_approval_token = "" }, { change, approval, landing }, { at }) {
      const feature = await findFeature(tx, feature_id);
      // The effect has checked that it had not expired; now that the merge has landed, it counts.
      const thing = approvedThing(feature_id, change, landing.tree, landing.base_before);
      if (approval !== null) await consumeApproval(tx, approvalKey, user_approval_token, thing, approval.at);
      assertTransition(feature.status, "merged", {
        planAccepted: true,
        fastPassed: true,
        fullPassed: true,
        reason: "",
        reasonChanged: true,
        landed: true,
      });
      const { commit: commit_sha, checkout_updated: _updated, gate_snapshot, ...rest } = landing;
      await tx
        .insertInto("merges")
        .values({
          feature_id,
          commit_sha,
          ...rest,
          change,
          approval_id: approval?.id ?? "",
          gate_snapshot: JSON.stringify(gate_snapshot),
          at,
        })
        .execute();
      await releaseAllWithin(tx, feature_id);
      await updateFeature(tx, feature, { status: "merged", status_reason: `merged as ${landing.commit}` }, at);
      await wakeQueue(tx, feature_id);
      return landing;
    },
    event: ({ feature_id }, { commit, feature_commit, tree, strategy }) => ({ feature_id, commit, feature_commit, tree, strategy }),
  };

  /** The change's digest covers the old contents of every touched file: if it is the same, none of them moved with the base. */
  function approvedThing(feature: string, change: string, tree: string, base: string) {
    return { feature, change, tree, base, policyHash, overlap: [] };
  }

  async function build(feature: Feature, commit: { strategy: MergeStrategy; message: string; at: number }): Promise<BuiltMerge> {
    const { base_commit: baseCommit, tree } = feature;
    const { strategy, message, at } = commit;
    const built = await buildMerge(repository, { baseCommit, baseNow: baseCommit, tree, strategy, message, ...identityOf(at) });
    if (built.tree === tree) return built;
    throw new SlipwayError("merge_failed", `The merge of "${feature.id}" gives another tree than the one that was gated.`, {
      expected: tree,
      found: built.tree,
    });
  }

  /** Every lock the plan needs is looked at once the refs are prepared: right before they move, or not at all. */
  async function land(feature: Feature, built: BuiltMerge, landedBefore: boolean): Promise<Landed> {
    const assertLocked = () => assertLocksHeld(db, rooms, feature.id, clock.now());
    if (!landedBefore) await assertLocked();
    try {
      return await landMerge(repository, {
        baseBranch: feature.base_branch,
        expected: feature.base_commit,
        commit: built.commit,
        featureBranch: feature.branch,
        featureCommit: built.featureCommit,
        featureWorktree: feature.worktree,
        confirm: assertLocked,
      });
    } catch (error) {
      if (error instanceof SlipwayError && error.code === "base_moved") await assertNoConflict(feature);
      throw error;
    }
  }

  /** A base that has moved is tried again; one that has moved against the change is not. */
  async function assertNoConflict(feature: Feature): Promise<void> {
    const { id, base_commit: baseCommit, base_branch, tree } = feature;
    const baseNow = await headOf(rooms, base_branch);
    const commit = { strategy: "squash", message: id, ...identityOf(feature.updated_at) } as const;
    const { conflicts } = await buildMerge(repository, { baseCommit, baseNow, tree, ...commit });
    if (conflicts.length === 0) return;
    throw new SlipwayError(
      "merge_failed",
      `"${id}" conflicts with what ${base_branch} holds by now: ${conflicts.join(", ")}. Nothing was merged.`,
      {
        feature_id: id,
        conflicts,
        base: baseNow,
        // Whoever built it can build it again; no person has to mend anything first.
        requires_human: false,
        suggested_next_actions: [`Build the change again on ${base_branch} as it is now, and gate it there.`],
      },
    );
  }
}
