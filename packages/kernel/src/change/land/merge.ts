import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Approval } from "./approvals/token.ts";
import { consumeApproval, readApproval } from "./approvals/approvals.ts";
import { approvalClaims } from "./approvals/claims.ts";
import type { ApprovalCandidate } from "./approvals/holds.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import { recordFact } from "../../record/facts/collect.ts";
import { repositoryId } from "../../record/journal/place.ts";
import { placesIn } from "../../host/places.ts";
import { rolesFor } from "../../config/rbac.ts";
import { alignIndex } from "../../host/git/checkout.ts";
import { changeBetween } from "../../host/git/change.ts";
import { buildMerge, hasLanded, landMerge, type BuiltMerge, type MergedTree, type MergeStrategy } from "../../host/git/merge.ts";
import { releaseAllWithin } from "../turn/locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { headOf } from "./candidate.ts";
import { identityOf } from "../feature/identity.ts";
import { assertLocksHeld } from "../turn/lock-operations.ts";
import { assertReady, chosenStrategy, factsToMerge, gatedAt, gateSnapshot, type GateSnapshot } from "./merge-checks.ts";
import { mergeWords, messageDigest, messageFor, oneSource, signedMessage } from "./merge-message.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { reconcileWorktree } from "../work/reconcile-worktree.ts";
import { assertTransition } from "../feature/status.ts";
import { findFeature, updateFeature, type Feature } from "../feature/store.ts";

const mergeInput = z
  .strictObject({
    feature_id: z.string(),
    user_approval_token: z.string().optional(),
    merge_strategy: z.string().optional(),
    ...mergeWords,
  })
  .refine(...oneSource);

export type MergeCall = z.infer<typeof mergeInput>;

export interface Landing {
  /** The new head of the base branch. */
  readonly commit: string;
  /** The single commit on the feature's branch. */
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
  /** Its digest, as approved. */
  readonly message: string;
  readonly approval: Approval | null;
}

/** Recorded as `approved_by` where the policy requires no approval. */
const NO_APPROVAL = "no person: merge_policy.require_user_approval is false";

/**
 * Merges exactly the gated and approved tree, by compare-and-swap of the base branch. Then one transaction writes the row, uses the
 * approval and records the evidence.
 */
export function mergeOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof mergeInput>, Merged, Landing> {
  const { repository, configuration, db, approvalKey, clock } = dependencies;
  const { policy, policyHash } = configuration;
  const claims = approvalClaims(placesIn(dependencies.hostEnv).stateHome);
  return {
    name: "feature.ready_to_merge",
    roles: [...rolesFor(policy.rbac, "feature.ready_to_merge"), "person"],
    input: mergeInput,
    async effect({ feature_id, user_approval_token: token = "", merge_strategy, ...words }, { operationId, at, redriven }) {
      const feature = await findFeature(db, feature_id);
      const strategy = chosenStrategy(policy, merge_strategy);
      const facts = await factsToMerge(dependencies);
      await assertReady(dependencies, feature, facts);
      const gate_snapshot = await gateSnapshot(dependencies, feature, facts);
      const { digest: change } = await changeBetween(repository, feature.base_commit, feature.tree);
      const message = await messageFor(dependencies, feature, words);
      const candidate = await approvedThing({
        feature: feature.id,
        change,
        tree: feature.tree,
        base: feature.base_commit,
        message: messageDigest(message, strategy),
      });
      const needed = policy.merge_policy.require_user_approval || token !== "";
      const approvedAsOf = async (now: number) => (needed ? readApproval(db, approvalKey, token, candidate, now) : null);
      // An earlier attempt may have merged it already; then an approval that has expired since is still valid.
      const approval = await approvedAsOf(redriven ? 0 : at);
      const built = await build(feature, {
        strategy,
        message: signedMessage(message, { feature: feature.id, change, approval }),
        // Not the current time: a repeated attempt must build the identical commit.
        at: approval?.at ?? (await gatedAt(dependencies, feature, facts)),
      });
      const landedBefore = redriven && (await hasLanded(repository, feature.base_branch, built.commit));
      if (redriven && !landedBefore) await approvedAsOf(at);
      // Unapproved bytes in the worktree are neither merged nor discarded. After a merge, the branch has already moved.
      if (!landedBefore) await reconcileWorktree(dependencies, feature, operationId, at);
      if (approval !== null) await claims.take(approval, operationId);
      const { checkoutUpdated } = await land(feature, built, landedBefore);
      if (approval !== null) await claims.landed(approval, operationId);
      await alignIndex(repository, feature.worktree, built.featureCommit);
      const landing: Landing = {
        commit: built.commit,
        feature_commit: built.featureCommit,
        tree: built.tree,
        base_branch: feature.base_branch,
        base_before: feature.base_commit,
        strategy,
        approved_by: approval?.by ?? NO_APPROVAL,
        checkout_updated: checkoutUpdated,
        gate_snapshot,
      };
      return { landing, change, message: candidate.message, approval };
    },
    async commit(tx, { feature_id, user_approval_token = "" }, { change, message, approval, landing }, { at }) {
      const feature = await findFeature(tx, feature_id);
      // The effect checked the expiry before the merge; do not check it again afterwards.
      const candidate = await approvedThing({ feature: feature_id, change, tree: landing.tree, base: landing.base_before, message }, tx);
      if (approval !== null) await consumeApproval(tx, approvalKey, user_approval_token, candidate, approval.at);
      assertTransition(feature.status, "merged", {
        planAccepted: true,
        fastPassed: true,
        fullPassed: true,
        reason: "",
        reasonChanged: true,
        landed: true,
      });
      const { commit: commit_sha, checkout_updated: _updated, gate_snapshot, ...rest } = landing;
      const row = {
        feature_id,
        commit_sha,
        ...rest,
        change,
        approval_id: approval?.id ?? "",
        gate_snapshot: JSON.stringify(gate_snapshot),
        at,
      };
      await tx.insertInto("merges").values(row).execute();
      recordFact(tx, "merges", feature_id, row);
      await releaseAllWithin(tx, feature_id);
      await updateFeature(tx, feature, { status: "merged", status_reason: `merged as ${landing.commit}` }, at);
      await wakeQueue(tx, feature_id);
      return landing;
    },
    event: ({ feature_id }, { commit, feature_commit, tree, strategy }) => ({ feature_id, commit, feature_commit, tree, strategy }),
  };

  /**
   * The digest of the change covers the old contents of every touched file. An equal digest means that the base did not change any of them.
   */
  async function approvedThing(
    thing: Pick<ApprovalCandidate, "feature" | "change" | "tree" | "base" | "message">,
    on: Db | Tx = db,
  ): Promise<ApprovalCandidate> {
    return { ...thing, policyHash, repository: await repositoryId(on, dependencies.sqlite.path), overlap: [] };
  }

  async function build(feature: Feature, commit: { strategy: MergeStrategy; message: string; at: number }): Promise<BuiltMerge> {
    const { base_commit: baseCommit, tree } = feature;
    const { strategy, message, at } = commit;
    const built = await buildMerge(repository, { baseCommit, baseNow: baseCommit, tree, strategy, message, ...identityOf(at) });
    if (built.tree === tree) return built;
    throw new SlipwayError("merge_failed", `The merge of "${feature.id}" produces a tree other than the gated one.`, {
      expected: tree,
      found: built.tree,
    });
  }

  /** Checks the locks of the plan after the refs are prepared, right before they move. */
  async function land(feature: Feature, built: BuiltMerge, landedBefore: boolean): Promise<MergedTree> {
    const assertLocked = () => assertLocksHeld(db, dependencies, feature.id, clock.now());
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

  /** A moved base is retried, unless it conflicts with the change. */
  async function assertNoConflict(feature: Feature): Promise<void> {
    const { id, base_commit: baseCommit, base_branch, tree } = feature;
    const baseNow = await headOf(dependencies, base_branch);
    const commit = { strategy: "squash", message: id, ...identityOf(feature.updated_at) } as const;
    const { conflicts } = await buildMerge(repository, { baseCommit, baseNow, tree, ...commit });
    if (conflicts.length === 0) return;
    throw new SlipwayError(
      "merge_failed",
      `"${id}" conflicts with the current ${base_branch}: ${conflicts.join(", ")}. Nothing was merged.`,
      {
        feature_id: id,
        conflicts,
        base: baseNow,
        // The builder can rebuild the change without a person.
        requires_human: false,
        suggested_next_actions: [`Build the change again on the current ${base_branch}, then run its gates.`],
      },
    );
  }
}
