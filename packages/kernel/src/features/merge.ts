import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { consumeApproval, readApproval, type Approval } from "../approvals/approvals.ts";
import { modePassed } from "../evidence/checks.ts";
import { alignIndexes } from "../git/checkout.ts";
import { changeBetween } from "../git/change.ts";
import { buildMerge, landMerge, type MergeStrategy } from "../git/merge.ts";
import { releaseAllWithin } from "../locks/store.ts";
import type { Operation } from "../operations/operation.ts";
import { acceptedPlan, findFeature, updateFeature, type Feature } from "./store.ts";
import { identityOf } from "./identity.ts";
import { locksFor, locksInForce } from "./locks.ts";
import type { Rooms } from "./rooms.ts";
import { settle } from "./settle.ts";
import { assertTransition } from "./status.ts";

const mergeInput = z.strictObject({
  feature_id: z.string(),
  user_approval_token: z.string(),
  commit_message: z.string().min(1).optional(),
  merge_strategy: z.enum(["merge_commit", "squash", "rebase"]).optional(),
});

export interface Landing {
  readonly commit: string;
  readonly feature_commit: string;
  readonly tree: string;
  readonly base_branch: string;
  readonly base_before: string;
  readonly strategy: MergeStrategy;
  readonly approved_by: string;
  readonly checkout_updated: boolean;
}

/** What merges is what was gated and what was approved, by compare-and-swap; then the row, the approval and the evidence in one transaction. */
export function mergeOperation(
  rooms: Rooms,
): Operation<z.infer<typeof mergeInput>, Landing & { change: string; approval: Approval }, Landing> {
  const { repository, configuration, db, approvalKey } = rooms;
  const { policy, policyHash } = configuration;
  return {
    name: "feature.ready_to_merge",
    roles: ["orchestrator", "system", "person"],
    input: mergeInput,
    async effect(input, { operationId, at }) {
      const feature = await findFeature(db, input.feature_id);
      const strategy = chosenStrategy(input.merge_strategy);
      await assertReady(feature);
      await assertLocked(feature, at);
      await settle(rooms, feature, operationId, at);
      const { digest: change } = await changeBetween(repository, feature.base_commit, feature.tree);
      const approval = await readApproval(
        db,
        approvalKey,
        input.user_approval_token,
        approvedThing(feature.id, change, feature.tree, feature.base_commit),
        at,
      );
      const message = input.commit_message ?? (await messageFor(feature, approval));
      // The approval's time, not the clock's: a repeated attempt builds the very same commit.
      const built = await buildMerge(repository, {
        baseCommit: feature.base_commit,
        baseNow: feature.base_commit,
        tree: feature.tree,
        strategy,
        message,
        ...identityOf(approval.at),
      });
      if (built.tree !== feature.tree)
        throw new SlipwayError("merge_failed", `The merge of "${feature.id}" gives another tree than the one that was gated.`, {
          expected: feature.tree,
          found: built.tree,
        });
      const landed = await landMerge(repository, {
        baseBranch: feature.base_branch,
        expected: feature.base_commit,
        commit: built.commit,
        featureBranch: feature.branch,
        featureCommit: built.featureCommit,
      });
      await alignIndexes(repository, feature.branch, built.featureCommit);
      return {
        commit: built.commit,
        feature_commit: built.featureCommit,
        tree: built.tree,
        base_branch: feature.base_branch,
        base_before: feature.base_commit,
        strategy,
        approved_by: approval.by,
        checkout_updated: landed.checkoutUpdated,
        change,
        approval,
      };
    },
    async commit(tx, { feature_id, user_approval_token }, { change, approval, ...landing }, { at }) {
      const feature = await findFeature(tx, feature_id);
      // The effect has checked that it had not expired; now that the merge has landed, it counts.
      await consumeApproval(
        tx,
        approvalKey,
        user_approval_token,
        approvedThing(feature_id, change, landing.tree, landing.base_before),
        approval.at,
      );
      assertTransition(feature.status, "merged", {
        planAccepted: true,
        fastPassed: true,
        fullPassed: true,
        reason: "",
        reasonChanged: true,
        landed: true,
      });
      await tx
        .insertInto("merges")
        .values({
          feature_id,
          commit_sha: landing.commit,
          feature_commit: landing.feature_commit,
          tree: landing.tree,
          base_branch: landing.base_branch,
          base_before: landing.base_before,
          strategy: landing.strategy,
          change,
          approval_id: approval.id,
          approved_by: landing.approved_by,
          at,
        })
        .execute();
      await releaseAllWithin(tx, feature_id);
      await updateFeature(tx, feature, { status: "merged", status_reason: `merged as ${landing.commit}` }, at);
      return landing;
    },
    event: ({ feature_id }, { commit, tree, strategy }) => ({ feature_id, commit, tree, strategy }),
  };

  /** The change's digest covers the old contents of every touched file: if it is the same, none of them moved with the base. */
  function approvedThing(feature: string, change: string, tree: string, base: string) {
    return { feature, change, tree, base, policyHash, overlap: [] };
  }

  function chosenStrategy(wanted: MergeStrategy | undefined): MergeStrategy {
    const allowed = policy.merge_policy.allowed_strategies;
    const strategy = wanted ?? allowed[0];
    if (strategy !== undefined && allowed.includes(strategy)) return strategy;
    throw new SlipwayError("merge_disabled", `The policy does not allow the merge strategy "${strategy ?? "none"}".`, {
      allowed,
      file: "slipway/policy.yaml",
      field: "merge_policy.allowed_strategies",
      suggested_next_actions: [`Use one of: ${allowed.join(", ")}.`],
    });
  }

  async function assertReady(feature: Feature): Promise<void> {
    if (feature.status !== "ready_to_merge") {
      throw new SlipwayError("invalid_status_transition", `"${feature.id}" is ${feature.status}, not ready_to_merge.`, {
        from: feature.status,
        to: "merged",
      });
    }
    for (const mode of ["full", policy.required_merge_mode]) {
      if (!(await modePassed(db, { feature_id: feature.id, mode, tree: feature.tree }))) {
        throw new SlipwayError("gate_failed", `The ${mode} gate has not passed on the tree that would be merged.`, {
          feature_id: feature.id,
          mode,
          tree: feature.tree,
        });
      }
    }
  }

  async function assertLocked({ id }: Feature, now: number): Promise<void> {
    const held = await locksInForce(db, id, now);
    const lost = locksFor(rooms, await acceptedPlan(db, id)).filter((resource) => !held.includes(resource));
    if (lost.length > 0)
      throw new SlipwayError("lock_not_held", `"${id}" no longer holds what its plan needs: ${lost.join(", ")}.`, {
        feature_id: id,
        resources: lost,
      });
  }

  async function messageFor(feature: Feature, approval: Approval): Promise<string> {
    const plan = await acceptedPlan(db, feature.id);
    return [
      `${feature.id}: ${plan?.summary ?? "merged by Slipway"}`,
      "",
      `Slipway-Feature: ${feature.id}`,
      `Slipway-Change: ${approval.change}`,
      `Approved-by: ${approval.by}`,
    ].join("\n");
  }
}
