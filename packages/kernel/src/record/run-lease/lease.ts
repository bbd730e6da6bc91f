import { SlipwayError } from "../../schema/errors.ts";
import { systemHost, type HostIdentity } from "@slipway/durable/host";
import type { Db, Tx } from "../database/tables.ts";
import type { Records } from "../storage.ts";
import { leaseHeld, leaseRow, liveHolder, processOf } from "./holder.ts";

/** The lease of the repository's one supervisor. Its epoch fences earlier holders. */
export interface RunLease {
  /** Raises the epoch, or throws `run_lease_held`. */
  take(runId: string | null): Promise<void>;
  /** Publishes the id of the run. */
  serve(runId: string): Promise<void>;
  /** Extends the lease; throws `lease_lost` if another process has taken over. */
  renew(): Promise<void>;
  release(): Promise<void>;
  /** Runs in every write of a supervisor. Does nothing before `take`. */
  assertHeld(tx: Db | Tx): Promise<void>;
  readonly ttlMs: number;
}

export interface RunLeaseOptions extends Pick<Records, "database" | "clock" | "journal"> {
  readonly host?: HostIdentity;
  readonly ttlMs?: number;
}

const TTL_MS = 30_000;

export function openRunLease({ database: { db }, clock, journal, host = systemHost(), ttlMs = TTL_MS }: RunLeaseOptions): RunLease {
  let epoch: number | null = null;
  let released = false;
  const expiry = () => Math.floor(clock.now()) + ttlMs;

  /** Writes only while this process holds the lease; the condition is part of the write. */
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
      // After a release, work that is still in progress must not write either.
      if (released || (epoch !== null && (await leaseRow(tx))?.epoch !== epoch)) throw lost();
    },
  };
}

function lost(): SlipwayError {
  return new SlipwayError("lease_lost", "Another process took over the runs of this repository; this process stopped writing.", {
    suggested_next_actions: ["Run `slipway status`."],
  });
}
