import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { Lease } from "./lease.ts";
import { heldLocks, renewWithin } from "./store.ts";

export interface Heartbeat {
  readonly db: Db;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly ttlMs: number;
  /** Whose leases to keep; asked at every beat. */
  readonly holders: () => readonly string[];
  readonly signal: AbortSignal;
  /** Told once for each lease that somebody else took, or recovery freed, because it had run out. */
  readonly onLost: (lease: Lease, error: SlipwayError) => void;
  /** What else belongs into a beat's transaction. */
  readonly within: (tx: Tx) => Promise<void>;
  readonly afterwards: () => Promise<void>;
}

/** Beats in one term: a lease survives two that fail. */
const BEATS = 3;

/**
 * Renews every lease of the holders until the signal aborts, so that a lock lives as long as who works under it, and ends by
 * itself without. A beat is upkeep, not a decision: it leaves no trace in the journal, which it would flood.
 */
export async function keepAlive(heart: Heartbeat): Promise<void> {
  const { sleep, ttlMs, signal } = heart;
  for (let known: readonly Lease[] = []; !signal.aborted;) {
    known = await beat(heart, known);
    // Aborting is how this ends.
    await sleep(ttlMs / BEATS, signal).catch(() => undefined);
  }
}

async function beat(heart: Heartbeat, known: readonly Lease[]): Promise<readonly Lease[]> {
  try {
    const now = heart.clock.now();
    const { kept, lost } = await heart.db.transaction().execute(async (tx) => {
      const holders = heart.holders();
      const current = (await heldLocks(tx)).filter(({ holder }) => holders.includes(holder));
      const kept: Lease[] = [];
      for (const lease of current) kept.push(await renewWithin(tx, lease, heart.ttlMs, now));
      const lost: [Lease, SlipwayError][] = [];
      for (const lease of known) {
        const error = await lossOf(tx, lease, heart.ttlMs, now);
        if (error !== null) lost.push([lease, error]);
      }
      if (kept.length > 0) await heart.within(tx);
      return { kept, lost };
    });
    for (const [lease, error] of lost) heart.onLost(lease, error);
    if (kept.length > 0) await heart.afterwards();
    return kept;
  } catch (error) {
    // A database that is busy or a disk that is full may pass, and the lease has two more chances before it ends.
    if (error instanceof SlipwayError) return known;
    throw error;
  }
}

/** Before its end a lease can only be given up by its holder: that is not a loss. */
async function lossOf(tx: Tx, lease: Lease, ttlMs: number, now: number): Promise<SlipwayError | null> {
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
