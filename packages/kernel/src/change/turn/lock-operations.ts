import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import { heldLocks, lostLocks, releaseWithin, type Acquired } from "./locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { requiredLocks } from "../plan/locks.ts";
import { parsePlan } from "../plan/schema.ts";
import { wakeQueue } from "./queue/store.ts";
import { takeLocks } from "./lock-taking.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { ENDED } from "../feature/status.ts";
import { acceptedPlan, findFeature, updateFeature } from "../feature/store.ts";

const acquireInput = z.strictObject({ feature_id: z.string(), resources: z.array(z.string().min(1)).min(1) });

/** Takes all locks or none, in one global order. A lock of another feature is a retryable failure. */
export function acquireLocksOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof acquireInput>, undefined, Acquired> {
  return {
    name: "locks.acquire",
    roles: rolesFor(dependencies.configuration.policy.rbac, "locks.acquire"),
    input: acquireInput,
    async commit(tx, { feature_id, resources }, _effect, call) {
      const feature = await findFeature(tx, feature_id);
      if (ENDED.includes(feature.status))
        throw new SlipwayError("policy_violation", `"${feature_id}" is ${feature.status}: an ended feature cannot hold locks.`, {
          feature_id,
        });
      const before = await locksInForce(tx, feature_id, call.at);
      const acquired = await takeLocks(tx, dependencies, feature, resources, call);
      // Renewing a lock that the feature holds already does not change its state.
      if (acquired.leases.some(({ resource }) => !before.includes(resource))) await updateFeature(tx, feature, {}, call.at);
      await wakeQueue(tx, feature_id);
      return acquired;
    },
    event: ({ feature_id }, { leases, evidence }) => ({
      feature_id,
      resources: leases.map(({ resource }) => resource),
      reclaimed: evidence.map(({ resource, former_holder }) => ({ resource, former_holder })),
    }),
  };
}

const releaseInput = z.strictObject({ resource: z.string().min(1), feature_id: z.string() });

/** Releases the lock, its lease and the entry in the feature's state together. Fails for a free lock or a lock of another feature. */
export function releaseLockOperation(
  dependencies: FeatureDependencies,
): Operation<z.infer<typeof releaseInput>, undefined, { resource: string }> {
  return {
    name: "locks.release",
    roles: rolesFor(dependencies.configuration.policy.rbac, "locks.release"),
    input: releaseInput,
    async commit(tx, { resource, feature_id }, _effect, { at }) {
      const feature = await findFeature(tx, feature_id);
      await releaseWithin(tx, { resource, holder: feature_id });
      await updateFeature(tx, feature, {}, at);
      await wakeQueue(tx, feature_id);
      return { resource };
    },
    event: (input) => input,
  };
}

/** The locks a proposed plan needs; none for an invalid plan. */
export function locksFor({ configuration: { policy } }: FeatureDependencies, plan: unknown): string[] {
  const parsed = parsePlan(plan);
  return parsed.ok ? requiredLocks(parsed.value, policy).filter((resource) => policy.locks.resources.includes(resource)) : [];
}

/** Locks whose lease has not expired. */
export async function locksInForce(db: Db | Tx, feature: string, now: number): Promise<string[]> {
  return (await heldLocks(db, feature)).filter(({ expiresAt }) => expiresAt > now).map(({ resource }) => resource);
}

/** Fence in a protected write: fails if the feature has lost a lock that its plan needs. */
export async function assertLocksHeld(
  db: Db | Tx,
  { configuration: { policy } }: Pick<FeatureDependencies, "configuration">,
  feature_id: string,
  now: number,
): Promise<void> {
  const plan = await acceptedPlan(db, feature_id);
  const lost = await lostLocks(db, feature_id, plan === null ? [] : requiredLocks(plan, policy), now);
  if (lost.length === 0) return;
  const names = lost.map(({ resource }) => resource);
  throw new SlipwayError("lock_not_held", `"${feature_id}" no longer holds the locks its plan needs: ${names.join(", ")}.`, {
    feature_id,
    resources: names,
    conflicting_feature_ids: [...new Set(lost.flatMap(({ holder }) => holder ?? []))].toSorted(),
    suggested_next_actions: [`Acquire ${names.join(", ")} again.`],
  });
}
