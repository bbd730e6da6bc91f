import type { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { Tx } from "../../record/database/tables.ts";
import type { IndexProjection } from "../views/feature-index/projection.ts";
import { countIndex } from "../views/feature-index/store.ts";
import type { Lease, Reclaimed } from "./locks/lease.ts";
import { keepAlive } from "./locks/locks.ts";
import { reclaimExpiredWithin } from "./locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeEntries, wakeQueue } from "./queue/store.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { assertTransition, ENDED } from "../feature/status.ts";
import { featureIfAny, updateFeature } from "../feature/store.ts";

export interface KeepLocks {
  /** The features somebody is at work on; asked at every beat. */
  readonly features: () => readonly string[];
  readonly signal: AbortSignal;
  readonly onLost?: (lease: Lease, error: SlipwayError) => void;
  /** Throws inside the transaction when this process may not write any more: then nothing is renewed. */
  readonly fence?: (tx: Tx) => Promise<void>;
}

/** While this runs the locks of these features do not expire; the index shows their new ends. */
export function keepLocks(rooms: Rooms, index: IndexProjection, { features, signal, onLost, fence }: KeepLocks): Promise<void> {
  const { db, clock, configuration } = rooms;
  return keepAlive({
    db,
    clock,
    sleep: rooms.sleep,
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
 * At recovery: leases that ran out while nobody was there are taken from whoever held them, and their features blocked: they were
 * at work under a lock they no longer have. For features somebody goes on with, as long as nobody else has taken the lock, it is
 * kept: whoever waits for it does not overtake them.
 */
export function reclaimStaleOperation(rooms: Rooms): Operation<z.infer<typeof reclaimInput>, undefined, Reclaimed[]> {
  const ttlMs = rooms.configuration.policy.locks.lease_ttl_seconds * 1000;
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
          const reason = `the lease on ${locks.map(({ resource }) => resource).join(", ")} ran out while nobody was at work on the feature`;
          const facts = { planAccepted: false, fastPassed: false, fullPassed: false, reason, reasonChanged: true, landed: false };
          if (feature.status !== "blocked") assertTransition(feature.status, "blocked", facts);
          await updateFeature(tx, feature, { status: "blocked", ...(feature.status !== "blocked" && { status_reason: reason }) }, at);
          touched?.(id);
        }
        await wakeQueue(tx, id);
      }
      // Whatever else has changed while nobody was there, the policy for example: everybody who waits is looked at once.
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
