import { systemHost, type HostIdentity, type ProcessIdentity } from "@slipway/durable/host";
import { SlipwayError } from "../../schema/errors.ts";
import type { Selectable } from "kysely";
import type { Db, Tx } from "../database/tables.ts";
import type { Records } from "../storage.ts";
import type { RunLeaseTables } from "./tables.ts";

export type LeaseRow = Selectable<RunLeaseTables["run_lease"]>;

/** The supervisor of this repository, as shown to other processes. */
export interface Holder {
  readonly run_id: string | null;
  readonly host: string;
  readonly pid: number;
  readonly expires_at: number;
  readonly epoch: number;
}

export interface Onlooker {
  readonly now: number;
  readonly host: Pick<HostIdentity, "isDead">;
}

export async function leaseRow(db: Db | Tx): Promise<LeaseRow | undefined> {
  return db.selectFrom("run_lease").selectAll().where("name", "=", "repository").executeTakeFirst();
}

/** The holder, unless its lease has expired or its process is known to be dead. */
export function liveHolder(row: LeaseRow | undefined, { now, host }: Onlooker): Holder | null {
  const owner = row === undefined ? null : processOf(row);
  if (row === undefined || owner === null || row.expires_at === null) return null;
  if (now >= row.expires_at || host.isDead(owner)) return null;
  return { run_id: row.run_id, host: owner.host, pid: owner.pid, expires_at: row.expires_at, epoch: row.epoch };
}

/** The process that supervises runs in this repository now, as seen from this machine. */
export async function liveSupervisor({ database, clock }: Pick<Records, "database" | "clock">): Promise<Holder | null> {
  return liveHolder(await leaseRow(database.db), { now: clock.now(), host: systemHost() });
}

export function processOf({ host, pid, process_start }: LeaseRow): ProcessIdentity | null {
  return host === null || pid === null ? null : { host, pid, startedAt: process_start ?? "" };
}

/** The live supervisor whose run contains the feature, or null. */
export async function liveRunOn(db: Db | Tx, featureId: string, onlooker: Onlooker): Promise<Holder | null> {
  const holder = liveHolder(await leaseRow(db), onlooker);
  if (holder === null || holder.run_id === null) return null;
  const feature = await db.selectFrom("features").select("run_id").where("id", "=", featureId).executeTakeFirst();
  return feature?.run_id.split("/")[0] === holder.run_id ? holder : null;
}

export function leaseHeld(holder: Holder): SlipwayError {
  const { run_id, host, pid, expires_at, epoch } = holder;
  const what = run_id === null ? "A starting run" : `Run ${run_id}`;
  // The part after the machine's name distinguishes boots and containers; the details contain it.
  const machine = host.split("/")[0];
  return new SlipwayError(
    "run_lease_held",
    `${what} is supervised by process ${pid} on ${machine}; a repository has only one supervisor.`,
    {
      run_id,
      host,
      pid,
      process: `${pid} on ${host}`,
      expires_at,
      epoch,
      suggested_next_actions: run_id === null ? ["slipway status"] : [`slipway watch ${run_id}`, `slipway stop ${run_id}`],
    },
  );
}
