import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SlipwayError } from "@slipway/durable/errors";
import { openDatabase } from "../../../../open-database.ts";
import type { Database } from "../../../../record/database/open.ts";
import type { Tx } from "../../../../record/database/tables.ts";
import type { LockLease } from "../lease.ts";
import { acquireWithin, heldLocks, lostLocks, reclaimExpiredWithin, releaseWithin, renewWithin, trimWithin } from "../store.ts";
import { whileLocked, type Backoff } from "../wait.ts";

export const TTL = 1_000;
export const RESOURCES = ["db_migrations", "events", "openapi"];
const BACKOFF: Backoff = { initial_seconds: 0.05, factor: 2, max_seconds: 5, jitter: 0.5 };

export type Bench = Database & Awaited<ReturnType<typeof openBench>>;
export type Claim = Pick<LockLease, "resource" | "holder" | "token">;

/** The room `locks` on a real database, with one transaction per call. Clock and pauses are scripted. */
export async function openBench(backoff = BACKOFF) {
  const database = await openDatabase({ path: join(mkdtempSync(join(tmpdir(), "slipway-locks-")), "slipway.db") });
  const { db } = database;
  const clock = { time: 10_000, mono: 0, now: () => clock.time, monotonic: () => clock.mono };
  const sleeps: number[] = [];
  const sleep = async (ms: number) => {
    sleeps.push(ms);
    clock.time += ms;
    clock.mono += ms;
  };
  let next = 0;
  const leaseId = () => `lease_${++next}`;
  const within = <T>(work: (tx: Tx) => Promise<T>) => db.transaction().execute(work);
  return {
    ...database,
    clock,
    sleep,
    sleeps,
    async acquire(holder: string, resources: readonly string[], waitMs = 0) {
      await within((tx) => trimWithin(tx, resources, clock.now()));
      return whileLocked({ clock, sleep, random: () => 0.5, backoff, timeoutMs: waitMs }, () =>
        within((tx) => acquireWithin(tx, { resources, holder, ttlMs: TTL, allowed: RESOURCES, leaseId }, clock.now())),
      );
    },
    renew: (lease: Claim) => within((tx) => renewWithin(tx, lease, TTL, clock.now())),
    release: (lease: Pick<Claim, "resource" | "holder"> & { token?: number }) => within((tx) => releaseWithin(tx, lease)),
    reclaim: () => within((tx) => reclaimExpiredWithin(tx, clock.now())),
    held: (holder?: string) => heldLocks(db, holder),
    /** Whether a write protected by the lock is allowed. */
    mayWrite: async ({ resource, holder }: Pick<LockLease, "resource" | "holder">) =>
      (await within((tx) => lostLocks(tx, holder, [resource], clock.now()))).length === 0,
  };
}

export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing",
    (error: SlipwayError) => error.code,
  );
