import type { Clock } from "./environment.ts";
import { SlipwayError } from "./errors.ts";
import type { HostIdentity, ProcessIdentity } from "./host.ts";
import type { Fence } from "./journal.ts";
import { runWithin } from "./runs.ts";
import { isFinished, type RunStatus } from "./status.ts";
import type { Sqlite } from "./sqlite.ts";
import type { RunRow } from "./tables.ts";

export interface LeaseParts {
  readonly sqlite: Sqlite;
  readonly clock: Clock;
  readonly host: HostIdentity;
  /** Distinguishes engines in the same process. */
  readonly engineId: string;
  readonly leaseMs: number;
  readonly maxCrashes: number;
}

export interface Lease {
  readonly fence: Fence;
  /** The row before the acquisition. */
  readonly before: RunRow;
  /** The holder that died without releasing the lease, if any. */
  readonly takenFrom: ProcessIdentity | null;
  readonly crashes: number;
}

export interface AcquireOptions {
  /** Treat a lease of this engine as free; false while the engine drives the run. */
  readonly ownIsFree: boolean;
  /** Refuse a run that keeps crashing its processes. */
  readonly heedCrashes: boolean;
}

/** One transaction that checks the current holder and raises the epoch, which fences off earlier holders. Null for a finished run. */
export function acquire(parts: LeaseParts, rootRunId: string, options: AcquireOptions): Promise<Lease | null> {
  const { sqlite, clock, engineId, host, leaseMs } = parts;
  return sqlite.write(() => {
    const before = runWithin(sqlite, rootRunId);
    if (isFinished(before.status)) return null;
    const takenFrom = vacantOrDead(parts, before, options.ownIsFree);
    const counted = countCrash(parts, before, takenFrom !== null);
    if (options.heedCrashes && counted.crashes > parts.maxCrashes) throw crashedTooOften(rootRunId, counted.crashes);
    const epoch = before.epoch + 1;
    // A stop that no process has seen lapses, because the run is being resumed; a cancel stays.
    const sql = `UPDATE runs SET epoch = ?, status = 'running', lease_engine = ?, lease_host = ?, lease_pid = ?, lease_process_start = ?,
      lease_until = ?, crashes = ?, crash_mark = ?, request = CASE request WHEN 'cancel' THEN 'cancel' END WHERE run_id = ?`;
    const until = Math.floor(clock.now()) + leaseMs;
    sqlite.prepare(sql).run(epoch, engineId, host.host, host.pid, host.startedAt, until, counted.crashes, counted.mark, rootRunId);
    return { fence: { rootRunId, epoch }, before, takenFrom, crashes: counted.crashes };
  });
}

/** False if another process owns the run now. */
export async function renew({ sqlite, clock, leaseMs }: LeaseParts, { rootRunId, epoch }: Fence): Promise<boolean> {
  const sql = "UPDATE runs SET lease_until = ? WHERE run_id = ? AND epoch = ?";
  return (await sqlite.exclusive(() => sqlite.prepare(sql).run(Math.floor(clock.now()) + leaseMs, rootRunId, epoch).changes)) === 1;
}

/** Inside the caller's transaction. False if the lease was already lost. */
export function releaseWithin(sqlite: Sqlite, { rootRunId, epoch }: Fence, status: RunStatus): boolean {
  const sql = `UPDATE runs SET epoch = epoch + 1, status = ?, lease_engine = NULL, lease_host = NULL, lease_pid = NULL, lease_process_start = NULL,
    lease_until = NULL, request = CASE request WHEN 'cancel' THEN 'cancel' END WHERE run_id = ? AND epoch = ?`;
  return sqlite.prepare(sql).run(status, rootRunId, epoch).changes === 1;
}

/** Null if the lease is free; the holder if it has died or its lease has expired; otherwise throws. */
function vacantOrDead({ clock, host, engineId }: LeaseParts, row: RunRow, ownIsFree: boolean): ProcessIdentity | null {
  if (row.lease_engine === null || (ownIsFree && row.lease_engine === engineId)) return null;
  const holder = { host: String(row.lease_host), pid: Number(row.lease_pid), startedAt: String(row.lease_process_start) };
  const expiresAt = Number(row.lease_until);
  const gone = host.isDead(holder) || clock.now() >= expiresAt;
  if (gone && row.lease_engine !== engineId) return holder;
  throw leaseHeld(row.run_id, holder, expiresAt);
}

/** Any event since the last crash is progress and resets the count. The "taken_over" event that follows does not count. */
function countCrash({ sqlite }: LeaseParts, row: RunRow, crashed: boolean): { crashes: number; mark: number } {
  if (!crashed) return { crashes: row.crashes, mark: row.crash_mark };
  const sql = "SELECT coalesce(sum(seq), 0) AS events FROM heads JOIN runs ON runs.run_id = heads.stream WHERE runs.root_run_id = ?";
  const events = Number(sqlite.prepare(sql).get(row.run_id)?.["events"]);
  return { crashes: events > row.crash_mark ? 1 : row.crashes + 1, mark: events + 1 };
}

export function leaseHeld(runId: string, holder: ProcessIdentity, expiresAt: number): SlipwayError {
  return new SlipwayError("run_lease_held", `Process ${holder.pid} on ${holder.host} is already running ${runId}.`, {
    run_id: runId,
    host: holder.host,
    pid: holder.pid,
    expires_at: expiresAt,
    suggested_next_actions: [`slipway watch ${runId}`, `slipway stop ${runId}`],
  });
}

function crashedTooOften(runId: string, crashes: number): SlipwayError {
  return new SlipwayError("run_crashed_too_often", `Run ${runId} has crashed its process ${crashes - 1} times in a row without progress.`, {
    run_id: runId,
    crashes: crashes - 1,
    suggested_next_actions: [`slipway journal show ${runId}`, `slipway resume ${runId} --after-crashes`],
  });
}
