import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { Tx } from "../../record/database/tables.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { ensureWorktree } from "../../host/git/worktree.ts";
import type { Call, Operation } from "../../record/operations/operation.ts";
import { storeClaims } from "../plan/claims-store.ts";
import { judgePlan } from "../plan/judge.ts";
import type { Plan } from "../plan/schema.ts";
import type { Proposal } from "../turn/queue/enqueue.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { headOf } from "../land/candidate.ts";
import { changeStatusWithin } from "../feature/change-status.ts";
import { placeFolder } from "./init.ts";
import { takeLocks } from "../turn/lock-taking.ts";
import { moveWorktree } from "../feature/move.ts";
import { planFacts, proposalFor } from "../plan/plan-checks.ts";
import { realign } from "../judge/qa-operations.ts";
import { isBuilt } from "./retry-facts.ts";
import { RETRY_PHASES, RETRY_STATUS, type RetryPhase } from "./retry-rules.ts";
import { recordRepairs } from "./repair.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { settle } from "./settle.ts";
import { ENDED } from "../feature/status.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";
import { NO_SESSIONS } from "../feature/tables.ts";
import { prepareWorktreeRoot } from "./worktree-root.ts";

const retryInput = z.strictObject({ feature_id: z.string(), run_id: z.string().min(1), from: z.enum(RETRY_PHASES) });

interface Ground {
  readonly base: string;
  readonly tree: string;
  /** The accepted plan, where it stays in force. */
  readonly proposal: Proposal | null;
}

export interface Retried {
  readonly base: string;
  readonly tree: string;
  /** The newest accepted plan: a new one revises it. */
  readonly plan_version: number | null;
}

/**
 * Takes up a feature that has ended, for another run: folder, branch and worktree as they are recorded, then status, claims and
 * locks in one transaction. What it held before is anchored, its plans, test index and evidence stay.
 */
export function retryOperation(rooms: Rooms): Operation<z.infer<typeof retryInput>, Ground, Retried> {
  const { repository, db } = rooms;
  return {
    name: "feature.retry",
    roles: ["orchestrator", "system"],
    input: retryInput,
    async effect({ feature_id, from }, { operationId, at }) {
      const found = await findFeature(db, feature_id);
      assertNotMerged(found);
      const built = await isBuilt(rooms, found);
      // A tree whose objects somebody has removed cannot be put back; the base's can.
      const feature = built ? found : { ...found, tree: await treeOf(repository, found.base_commit) };
      await prepareWorktreeRoot(rooms);
      await placeFolder(rooms, feature_id, feature.spec_digest, true);
      const { rebuilt } = await ensureWorktree(repository, {
        featureId: feature_id,
        branch: feature.branch,
        baseRef: feature.base_commit,
        path: feature.worktree,
        expectedTree: feature.tree,
        protectedBranches: [feature.base_branch],
      });
      if (rebuilt) await recordRepairs(rooms, feature_id, operationId, [`made the worktree ${feature.worktree} again`]);
      await settle(rooms, feature, operationId, at);
      const plan = from === "plan" ? null : await acceptedPlan(db, feature_id);
      // Where nothing is built, or all of it is built anew, the base of now is the one to start from.
      if (plan === null || !built) {
        const base = await headOf(rooms, feature.base_branch);
        const tree = await treeOf(repository, base);
        await moveWorktree(rooms, feature, { base, tree }, operationId, at);
        return { base, tree, proposal: await proposed(feature, plan, base) };
      }
      return { base: feature.base_commit, tree: feature.tree, proposal: await proposed(feature, plan, feature.base_commit) };
    },
    async commit(tx, { feature_id, run_id, from }, { base, tree, proposal }, call) {
      const before = await findFeature(tx, feature_id);
      assertNotMerged(before);
      const reason = `retried from ${from}`;
      await reopen(rooms, tx, { ...before, base_commit: base, tree }, from, reason);
      if (proposal !== null) await claimAgain(tx, rooms, before, proposal, call);
      await tx.deleteFrom("waits").where("feature_id", "=", feature_id).execute();
      // Taking an expired lock of its own counts as a change.
      const feature = await findFeature(tx, feature_id);
      const { plan = "na", ...gates } = gateMap(before);
      const kept = from === "land" ? { plan, ...gates } : { plan };
      const taken = { status: RETRY_STATUS[from], status_reason: reason, run_id, base_commit: base, tree };
      const next = await updateFeature(tx, feature, { ...taken, gates: JSON.stringify(kept), ...NO_SESSIONS }, call.at);
      if (tree !== before.tree) await realign(tx, rooms, next, []);
      await wakeQueue(tx, feature_id);
      return { base, tree, plan_version: (await acceptedPlan(tx, feature_id))?.plan_version ?? null };
    },
    event: ({ feature_id, run_id, from }, { base, tree }) => ({ feature_id, run_id, from, base, tree }),
  };

  async function proposed(feature: Feature, plan: Plan | null, base_commit: string): Promise<Proposal | null> {
    return plan === null ? null : proposalFor(rooms, { ...feature, base_commit }, plan);
  }
}

/** One whose run has ended around it ends first, and is then taken up like any other. */
async function reopen(rooms: Rooms, tx: Tx, feature: Feature, from: RetryPhase, reason: string): Promise<void> {
  if (!ENDED.includes(feature.status)) await changeStatusWithin(rooms, tx, feature, "failed", reason);
  await changeStatusWithin(rooms, tx, { ...feature, status: "failed" }, RETRY_STATUS[from], reason, true);
}

/** Others may have planned the same since: the accepted plan is judged again, as it was when it was accepted. */
async function claimAgain(tx: Tx, rooms: Rooms, feature: Feature, proposal: Proposal, call: Call): Promise<void> {
  const { plan, base } = proposal;
  const facts = await planFacts(tx, rooms, { ...feature, base_commit: base }, proposal, call.at);
  const verdict = judgePlan(plan, { ...facts, currentVersion: plan.plan_version - 1, takesFreeLocks: true });
  if (verdict.answer !== "accept") throw refused(feature.id, verdict.error);
  await takeLocks(tx, rooms, feature, verdict.locks, call);
  await storeClaims(tx, plan, rooms.configuration.policy);
}

function refused(id: string, error: SlipwayError): SlipwayError {
  const { code, message, details } = error;
  const again = `Or give it up here and plan it again: \`slipway retry ${id} --from plan\`.`;
  return new SlipwayError(code, `The plan of "${id}" does not stand any more. ${message}`, {
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
