import type { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { Tx } from "../../record/database/tables.ts";
import type { IndexProjection } from "../views/feature-index/projection.ts";
import { countIndex } from "../views/feature-index/store.ts";
import type { LockLease, Reclaimed } from "./locks/lease.ts";
import { keepAlive } from "./locks/locks.ts";
import { reclaimExpiredWithin } from "./locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeEntries, wakeQueue } from "./queue/store.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { assertTransition, ENDED } from "../feature/status.ts";
import { featureIfAny, updateFeature } from "../feature/store.ts";

export interface KeepLocks {
  /** The features in progress; called at every heartbeat. */
  readonly features: () => readonly string[];
  readonly signal: AbortSignal;
  readonly onLost?: (lease: LockLease, error: SlipwayError) => void;
  /** Throws in the transaction if this process may no longer write; then nothing is renewed. */
  readonly fence?: (tx: Tx) => Promise<void>;
}

/** Renews the locks of these features until the signal aborts, and updates the index. */
export function keepLocks(
  dependencies: FeatureDependencies,
  index: IndexProjection,
  { features, signal, onLost, fence }: KeepLocks,
): Promise<void> {
  const { db, clock, configuration } = dependencies;
  return keepAlive({
    db,
    clock,
    sleep: dependencies.sleep,
    ttlMs: configuration.policy.locks.lease_ttl_seconds * 1000,
    holders: features,
    signal,
    onLost: (lease, error) => onLost?.(lease, error),
    async within(tx) {
      await fence?.(tx);
      await countIndex(tx, configuration, clock.now());
    },
    afterwards: () => index.write(),
  });
}

const reclaimInput = z.strictObject({ keep_for: z.array(z.string()) });

/**
 * For recovery. Releases leases that expired while no supervisor was running, and blocks their features, which worked under a lock they no
 * longer have. A lock of a feature in `keep_for` is reserved for it if it is still free, so that waiting features do not overtake it.
 */
export function reclaimStaleOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof reclaimInput>, undefined, Reclaimed[]> {
  const ttlMs = dependencies.configuration.policy.locks.lease_ttl_seconds * 1000;
  return {
    name: "locks.reclaim_stale",
    roles: ["system"],
    input: reclaimInput,
    async commit(tx, { keep_for }, _effect, { at, operationId, touched }) {
      const open = await openAmong(tx, keep_for);
      const reclaimed = await reclaimExpiredWithin(tx, at, { holders: open, ttlMs, leaseId: operationId });
      const lost = Map.groupBy(reclaimed, ({ former_holder }) => former_holder);
      for (const [id, locks] of lost) {
        const feature = await featureIfAny(tx, id);
        if (feature !== undefined && !ENDED.includes(feature.status)) {
          const reason = `the lease on ${locks.map(({ resource }) => resource).join(", ")} expired while the feature was not in progress`;
          const facts = { planAccepted: false, fastPassed: false, fullPassed: false, reason, reasonChanged: true, landed: false };
          if (feature.status !== "blocked") assertTransition(feature.status, "blocked", facts);
          await updateFeature(tx, feature, { status: "blocked", ...(feature.status !== "blocked" && { status_reason: reason }) }, at);
          touched?.(id);
        }
        await wakeQueue(tx, id);
      }
      // Anything else may have changed, such as the policy: reconsider every queued plan once.
      await wakeEntries(tx, () => true);
      return reclaimed;
    },
    event: (_input, reclaimed) => ({ reclaimed: reclaimed.map(({ resource, former_holder }) => ({ resource, former_holder })) }),
  };
}

async function openAmong(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const features = await Promise.all(ids.map((id) => featureIfAny(tx, id)));
  return features.flatMap((feature) => (feature === undefined || ENDED.includes(feature.status) ? [] : [feature.id]));
}
