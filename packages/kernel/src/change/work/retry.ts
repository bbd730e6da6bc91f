import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Tx } from "../../record/database/tables.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { ensureWorktree } from "../../host/git/worktree.ts";
import { isOwnPlace } from "../../host/git/worktree-record.ts";
import type { OperationCall, Operation } from "../../record/operations/operation.ts";
import { storeClaims } from "../plan/claims-store.ts";
import { judgePlan } from "../plan/judge.ts";
import type { Plan } from "../plan/schema.ts";
import type { QueueProposal } from "../turn/queue/enqueue.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { headOf } from "../land/candidate.ts";
import { changeStatusWithin } from "../feature/change-status.ts";
import { createFolder } from "./init.ts";
import { takeLocks } from "../turn/lock-taking.ts";
import { moveWorktree } from "../feature/move.ts";
import { planFacts, proposalFor } from "../plan/plan-checks.ts";
import { realign } from "../judge/qa-operations.ts";
import { isBuilt } from "./retry-facts.ts";
import { RETRY_PHASES, RETRY_STATUS, type RetryPhase } from "./retry-rules.ts";
import { recordRepairs } from "./repair.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { reconcileWorktree } from "./reconcile-worktree.ts";
import { ENDED } from "../feature/status.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";
import { NO_SESSIONS } from "../feature/tables.ts";
import { prepareWorktreeRoot, worktreeOf } from "./worktree-root.ts";

const retryInput = z.strictObject({ feature_id: z.string(), run_id: z.string().min(1), from: z.enum(RETRY_PHASES) });

interface Ground {
  readonly worktree: string;
  readonly base: string;
  readonly tree: string;
  /** The accepted plan, if it stays in force. */
  readonly proposal: QueueProposal | null;
}

export interface Retried {
  readonly base: string;
  readonly tree: string;
  /** The newest accepted plan; a new plan revises it. */
  readonly plan_version: number | null;
}

/**
 * Reopens an ended feature for another run: restores folder, branch and worktree as recorded, then takes status, claims and locks in one
 * transaction. Its previous content is anchored; plans, QA index and evidence stay.
 */
export function retryOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof retryInput>, Ground, Retried> {
  const { repository, db } = dependencies;
  return {
    name: "feature.retry",
    roles: ["orchestrator", "system"],
    input: retryInput,
    async effect({ feature_id, from }, { operationId, at }) {
      const found = await findFeature(db, feature_id);
      assertNotMerged(found);
      const worktree = (await isOwnPlace(repository, found.worktree)) ? found.worktree : worktreeOf(dependencies, feature_id);
      const recorded = { ...found, worktree };
      const built = await isBuilt(dependencies, recorded);
      // A tree whose objects were removed cannot be restored; the base's tree can.
      const feature = built ? recorded : { ...recorded, tree: await treeOf(repository, recorded.base_commit) };
      await prepareWorktreeRoot(dependencies);
      await createFolder(dependencies, feature_id, feature.spec_digest, true);
      const { rebuilt } = await ensureWorktree(repository, {
        featureId: feature_id,
        branch: feature.branch,
        baseRef: feature.base_commit,
        path: worktree,
        expectedTree: feature.tree,
        protectedBranches: [feature.base_branch],
      });
      if (rebuilt) await recordRepairs(dependencies, feature_id, operationId, [`recreated the worktree ${worktree}`]);
      await reconcileWorktree(dependencies, feature, operationId, at);
      const plan = from === "plan" ? null : await acceptedPlan(db, feature_id);
      // If nothing is built yet, or everything is built again, start from the current base.
      if (plan === null || !built) {
        const base = await headOf(dependencies, feature.base_branch);
        const tree = await treeOf(repository, base);
        await moveWorktree(dependencies, feature, { base, tree }, operationId, at);
        return { worktree, base, tree, proposal: await proposed(feature, plan, base) };
      }
      return { worktree, base: feature.base_commit, tree: feature.tree, proposal: await proposed(feature, plan, feature.base_commit) };
    },
    async commit(tx, { feature_id, run_id, from }, { worktree, base, tree, proposal }, call) {
      const before = await findFeature(tx, feature_id);
      assertNotMerged(before);
      const reason = `retried from ${from}`;
      await reopen(dependencies, tx, { ...before, base_commit: base, tree }, from, reason);
      if (proposal !== null) await claimAgain(tx, dependencies, before, proposal, call);
      await tx.deleteFrom("waits").where("feature_id", "=", feature_id).execute();
      // Taking an expired lock of its own again changes the feature's version.
      const feature = await findFeature(tx, feature_id);
      const { plan = "na", ...gates } = gateMap(before);
      const results = from === "land" ? { plan, ...gates } : { plan };
      const taken = { status: RETRY_STATUS[from], status_reason: reason, run_id, worktree, base_commit: base, tree };
      const next = await updateFeature(tx, feature, { ...taken, gates: JSON.stringify(results), ...NO_SESSIONS }, call.at);
      if (tree !== before.tree) await realign(tx, dependencies, next, []);
      await wakeQueue(tx, feature_id);
      return { base, tree, plan_version: (await acceptedPlan(tx, feature_id))?.plan_version ?? null };
    },
    event: ({ feature_id, run_id, from }, { base, tree }) => ({ feature_id, run_id, from, base, tree }),
  };

  async function proposed(feature: Feature, plan: Plan | null, base_commit: string): Promise<QueueProposal | null> {
    return plan === null ? null : proposalFor(dependencies, { ...feature, base_commit }, plan);
  }
}

/** A feature whose run ended before it did is marked failed first. */
async function reopen(dependencies: FeatureDependencies, tx: Tx, feature: Feature, from: RetryPhase, reason: string): Promise<void> {
  if (!ENDED.includes(feature.status)) await changeStatusWithin(dependencies, tx, feature, "failed", reason);
  await changeStatusWithin(dependencies, tx, { ...feature, status: "failed" }, RETRY_STATUS[from], reason, true);
}

/** Other features may have planned the same files since, so the accepted plan is checked again. */
async function claimAgain(
  tx: Tx,
  dependencies: FeatureDependencies,
  feature: Feature,
  proposal: QueueProposal,
  call: OperationCall,
): Promise<void> {
  const { plan, base } = proposal;
  const facts = await planFacts(tx, dependencies, { ...feature, base_commit: base }, proposal, call.at);
  const verdict = judgePlan(plan, { ...facts, currentVersion: plan.plan_version - 1, takesFreeLocks: true });
  if (verdict.answer !== "accept") throw refused(feature.id, verdict.error);
  await takeLocks(tx, dependencies, feature, verdict.locks, call);
  await storeClaims(tx, plan, dependencies.configuration.policy);
}

function refused(id: string, error: SlipwayError): SlipwayError {
  const { code, message, details } = error;
  const again = `Or plan it again: \`slipway retry ${id} --from plan\`.`;
  return new SlipwayError(code, `The plan of "${id}" is no longer valid. ${message}`, {
    ...details,
    suggested_next_actions: [...details.suggested_next_actions, again],
  });
}

function assertNotMerged({ id, status }: Feature): void {
  if (status !== "merged") return;
  throw new SlipwayError("invalid_status_transition", `"${id}" is merged; there is nothing to retry.`, {
    from: status,
    to: "planning",
    suggested_next_actions: [`slipway evidence ${id}`],
  });
}
