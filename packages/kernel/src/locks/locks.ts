import type { Clock, Ids } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import type { Db } from "../database/tables.ts";
import type { Lease, Reclaimed } from "./lease.ts";
import {
  acquireWithin,
  heldLocks,
  reclaimExpiredWithin,
  releaseAllWithin,
  releaseWithin,
  renewWithin,
  trimWithin,
  type Acquired,
} from "./store.ts";
import { whileLocked, type Backoff } from "./wait.ts";

export interface LocksOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** `policy.locks.resources` */
  readonly resources: readonly string[];
  readonly ttlMs: number;
  readonly backoff?: Backoff;
}

export interface Locks {
  /** All of them or none; waits up to `waitMs` (0: fails at once) for others to let go. */
  acquire(request: { readonly resources: readonly string[]; readonly holder: string; readonly waitMs: number }): Promise<Acquired>;
  renew(lease: Pick<Lease, "resource" | "holder" | "token">): Promise<Lease>;
  release(lease: { readonly resource: string; readonly holder: string; readonly token?: number }): Promise<void>;
  releaseAll(holder: string): Promise<string[]>;
  reclaimExpired(): Promise<Reclaimed[]>;
  held(holder?: string): Promise<Lease[]>;
  /** Renews the leases until the signal aborts; tells once which lease was lost, and goes on with the others. */
  keepAlive(leases: readonly Lease[], signal: AbortSignal, onLost: (lease: Lease, error: SlipwayError) => void): Promise<void>;
}

/** Leases in the one database. For a protected write, pass the lease to `assertHeld` inside its transaction. */
export function openLocks(options: LocksOptions): Locks {
  const { db, clock, ids, sleep, random, resources: allowed, ttlMs } = options;
  const renew: Locks["renew"] = (lease) => db.transaction().execute((tx) => renewWithin(tx, lease, ttlMs, clock.now()));

  return {
    async acquire({ resources, holder, waitMs }) {
      const request = { resources, holder, ttlMs, allowed, leaseId: () => ids.next("lease") };
      await db.transaction().execute((tx) => trimWithin(tx, resources, clock.now()));
      return whileLocked({ clock, sleep, random, timeoutMs: waitMs, ...(options.backoff && { backoff: options.backoff }) }, () =>
        db.transaction().execute((tx) => acquireWithin(tx, request, clock.now())),
      );
    },
    renew,
    release: (lease) => db.transaction().execute((tx) => releaseWithin(tx, lease)),
    releaseAll: (holder) => db.transaction().execute((tx) => releaseAllWithin(tx, holder)),
    reclaimExpired: () => db.transaction().execute((tx) => reclaimExpiredWithin(tx, clock.now())),
    held: (holder) => heldLocks(db, holder),
    async keepAlive(leases, signal, onLost) {
      let kept = [...leases];
      while (!signal.aborted && kept.length > 0) {
        await sleep(ttlMs / 3);
        if (signal.aborted) return;
        const renewed = await Promise.all(kept.map((lease) => stillHeld(lease)));
        kept = kept.filter((_, index) => renewed[index]);
      }

      async function stillHeld(lease: Lease): Promise<boolean> {
        try {
          await renew(lease);
          return true;
        } catch (error) {
          // Anything else may pass, and the lease has two more chances before it ends.
          if (!(error instanceof SlipwayError) || !LOST.has(error.code)) return true;
          onLost(lease, error);
          return false;
        }
      }
    },
  };
}

const LOST: ReadonlySet<string> = new Set(["stale_lock_reclaimed", "lock_not_held"]);
