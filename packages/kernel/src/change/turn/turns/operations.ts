import { z } from "zod";
import type { Tx } from "../../../record/database/tables.ts";
import { heldLocks, releaseWithin } from "../locks/store.ts";
import type { Operation } from "../../../record/operations/operation.ts";
import { planSchema, type Plan } from "../../plan/schema.ts";
import { wakeQueue } from "../queue/store.ts";
import { locksFor } from "../lock-operations.ts";
import { moveWorktree } from "../../feature/move.ts";
import { realign } from "../../judge/qa-operations.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { acceptedPlan, findFeature, updateFeature } from "../../feature/store.ts";

const waitInput = z.strictObject({
  feature_id: z.string(),
  plan_json: planSchema,
  blockers: z.array(z.string()).min(1),
  reason: z.string().min(1),
});

/** The feature waits until others have landed. It has already released the locks of the plan. */
export const waitOperation: Operation<z.input<typeof waitInput>, undefined, { reason: string }> = {
  name: "feature.wait",
  roles: ["orchestrator", "system"],
  input: waitInput,
  async commit(tx, { feature_id, plan_json, blockers, reason }, _effect, { at }) {
    const feature = await findFeature(tx, feature_id);
    const row = { blockers: JSON.stringify(blockers), plan: JSON.stringify(plan_json), since: at };
    await tx
      .insertInto("waits")
      .values({ feature_id, ...row })
      .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
      .execute();
    await updateFeature(tx, feature, { status_reason: reason }, at);
    return { reason };
  },
  event: ({ feature_id, blockers, reason }) => ({ feature_id, blockers: [...blockers], reason }),
};

const giveBackInput = z.strictObject({ feature_id: z.string(), plan_json: planSchema });

/** Releases the locks taken for a plan while the plan is reconsidered, waits or is in question. */
export function giveBackOperation(dependencies: FeatureDependencies): Operation<z.input<typeof giveBackInput>, undefined, string[]> {
  return {
    name: "feature.give_back_locks",
    roles: ["orchestrator", "system"],
    input: giveBackInput,
    async commit(tx, { feature_id, plan_json }, _effect, { at }) {
      const feature = await findFeature(tx, feature_id);
      const released = await giveBack(tx, dependencies, feature_id, planSchema.parse(plan_json));
      if (released.length > 0) await updateFeature(tx, feature, {}, at);
      return released;
    },
    event: ({ feature_id }, resources) => ({ feature_id, resources }),
  };
}

/**
 * A feature with an accepted plan keeps the locks of that plan and releases only those of the proposed plan. Without one, it releases all.
 */
async function giveBack(tx: Tx, dependencies: FeatureDependencies, feature_id: string, proposed: Plan): Promise<string[]> {
  const accepted = await acceptedPlan(tx, feature_id);
  const needed = locksFor(dependencies, accepted);
  const wanted = locksFor(dependencies, proposed);
  const held = (await heldLocks(tx, feature_id)).map(({ resource }) => resource);
  const released = held.filter((resource) => !needed.includes(resource) && (accepted === null || wanted.includes(resource)));
  for (const resource of released) await releaseWithin(tx, { resource, holder: feature_id });
  if (released.length > 0) await wakeQueue(tx, feature_id);
  return released;
}

const wakeInput = z.strictObject({ feature_id: z.string(), onto: z.string().nullable(), reason: z.string() });

export interface Moved {
  readonly base: string;
  readonly tree: string;
}

/** Ends the wait. A feature that has built nothing yet moves to the current base; built work is rebased when it lands. */
export function wakeOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof wakeInput>, Moved, Moved> {
  const { repository, db } = dependencies;
  const treeOf = async (commit: string) =>
    (await repository.git.text(["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`])).trim();
  return {
    name: "feature.wake",
    roles: ["orchestrator", "system"],
    input: wakeInput,
    async effect({ feature_id, onto }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const { base_commit, tree } = feature;
      if (onto === null || onto === base_commit || tree !== (await treeOf(base_commit))) return { base: base_commit, tree };
      const moved = { base: onto, tree: await treeOf(onto) };
      await moveWorktree(dependencies, feature, moved, operationId, at);
      return moved;
    },
    async commit(tx, { feature_id, reason }, moved, { at }) {
      const feature = await findFeature(tx, feature_id);
      await tx.deleteFrom("waits").where("feature_id", "=", feature_id).execute();
      const next = await updateFeature(tx, feature, { status_reason: reason, base_commit: moved.base, tree: moved.tree }, at);
      if (next.base_commit !== feature.base_commit) await realign(tx, dependencies, next, []);
      return moved;
    },
    event: ({ feature_id, reason }, { base }) => ({ feature_id, reason, base }),
  };
}
