import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import { systemHost, type HostIdentity } from "@slipway/durable/host";
import type { Db, Tx } from "../database/tables.ts";
import type { Journal } from "../journal/repository.ts";
import { leaseHeld, leaseRow, liveHolder, processOf } from "./holder.ts";

/** The right to supervise runs in a repository: one process at a time, with an epoch that shuts earlier holders out. */
export interface RunLease {
  /** Raises the epoch, or throws `run_lease_held`. */
  take(runId: string | null): Promise<void>;
  /** Tells others which run it is. */
  serve(runId: string): Promise<void>;
  /** Another term; throws `lease_lost` when somebody else has taken over. */
  renew(): Promise<void>;
  release(): Promise<void>;
  /** Inside every write of a supervisor. Says nothing before the lease was taken. */
  assertHeld(tx: Db | Tx): Promise<void>;
  readonly ttlMs: number;
}

export interface RunLeaseOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly host?: HostIdentity;
  readonly ttlMs?: number;
}

const TTL_MS = 30_000;

export function openRunLease({ db, clock, journal, host = systemHost(), ttlMs = TTL_MS }: RunLeaseOptions): RunLease {
  let epoch: number | null = null;
  let released = false;
  const expiry = () => Math.floor(clock.now()) + ttlMs;

  /** Only while it is still ours; the condition is part of the write. */
  async function change(set: {
    expires_at: number | null;
    run_id?: string;
    host?: null;
    pid?: null;
    process_start?: null;
  }): Promise<boolean> {
    if (epoch === null) return false;
    const { numUpdatedRows } = await db.updateTable("run_lease").set(set).where("epoch", "=", epoch).executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  return {
    ttlMs,
    async take(runId) {
      epoch = await db.transaction().execute(async (tx) => {
        const at = Math.floor(clock.now());
        const row = await leaseRow(tx);
        const holder = liveHolder(row, { now: at, host });
        if (holder !== null) throw leaseHeld(holder);
        const next = (row?.epoch ?? 0) + 1;
        const mine = { epoch: next, run_id: runId, host: host.host, pid: host.pid, process_start: host.startedAt, expires_at: expiry() };
        await tx
          .insertInto("run_lease")
          .values({ name: "repository", ...mine })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(mine))
          .execute();
        const former = row === undefined ? null : processOf(row);
        if (former !== null) {
          const payload = { epoch: next, from: { host: former.host, pid: former.pid, run_id: row?.run_id ?? null } };
          await journal.append(tx, { kind: "run_lease", name: "taken_over", at, payload });
        }
        return next;
      });
    },
    async serve(runId) {
      if (!(await change({ run_id: runId, expires_at: expiry() }))) throw lost();
    },
    async renew() {
      if (!(await change({ expires_at: expiry() }))) throw lost();
    },
    async release() {
      await change({ host: null, pid: null, process_start: null, expires_at: null });
      released = true;
    },
    async assertHeld(tx) {
      // What was left behind at work when the lease was given back writes nothing either.
      if (released || (epoch !== null && (await leaseRow(tx))?.epoch !== epoch)) throw lost();
    },
  };
}

function lost(): SlipwayError {
  return new SlipwayError("lease_lost", "Another process has taken over the runs of this repository; nothing more was written here.", {
    suggested_next_actions: ["slipway status"],
  });
}
