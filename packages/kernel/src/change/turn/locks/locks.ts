import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { LockLease } from "./lease.ts";
import { heldLocks, renewWithin } from "./store.ts";

export interface Heartbeat {
  readonly db: Db;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly ttlMs: number;
  /** The holders whose leases to renew; called at every heartbeat. */
  readonly holders: () => readonly string[];
  readonly signal: AbortSignal;
  /** Called once for each expired lease that another holder took or recovery released. */
  readonly onLost: (lease: LockLease, error: SlipwayError) => void;
  /** Runs in the transaction of each heartbeat that renewed a lease. */
  readonly within: (tx: Tx) => Promise<void>;
  readonly afterwards: () => Promise<void>;
}

/** Heartbeats per term: a lease survives two failed ones. */
const BEATS = 3;

/**
 * Renews every lease of the holders until the signal aborts. Without it, leases expire. Renewals are not journaled: they would flood the
 * journal.
 */
export async function keepAlive(heart: Heartbeat): Promise<void> {
  const { sleep, ttlMs, signal } = heart;
  for (let known: readonly LockLease[] = []; !signal.aborted;) {
    known = await beat(heart, known);
    // `sleep` rejects when the signal aborts; the loop then ends.
    await sleep(ttlMs / BEATS, signal).catch(() => undefined);
  }
}

async function beat(heart: Heartbeat, known: readonly LockLease[]): Promise<readonly LockLease[]> {
  try {
    const now = heart.clock.now();
    const { renewed, lost } = await heart.db.transaction().execute(async (tx) => {
      const holders = heart.holders();
      const current = (await heldLocks(tx)).filter(({ holder }) => holders.includes(holder));
      const renewed: LockLease[] = [];
      for (const lease of current) renewed.push(await renewWithin(tx, lease, heart.ttlMs, now));
      const lost: [LockLease, SlipwayError][] = [];
      for (const lease of known) {
        const error = await lossOf(tx, lease, heart.ttlMs, now);
        if (error !== null) lost.push([lease, error]);
      }
      if (renewed.length > 0) await heart.within(tx);
      return { renewed, lost };
    });
    for (const [lease, error] of lost) heart.onLost(lease, error);
    if (renewed.length > 0) await heart.afterwards();
    return renewed;
  } catch (error) {
    // A busy database or a full disk may be temporary, and the lease has two more heartbeats before it expires.
    if (error instanceof SlipwayError) return known;
    throw error;
  }
}

/** Before its expiry only the holder can release a lease: that is not a loss. */
async function lossOf(tx: Tx, lease: LockLease, ttlMs: number, now: number): Promise<SlipwayError | null> {
  if (now < lease.expiresAt) return null;
  try {
    await renewWithin(tx, lease, ttlMs, now);
    return null;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "stale_lock_reclaimed") return error;
    if (error instanceof SlipwayError && error.code === "lock_not_held") return null;
    throw error;
  }
}
