import type { HostIdentity, ProcessIdentity } from "@slipway/durable/host";
import { SlipwayError } from "@slipway/durable/errors";
import type { Selectable } from "kysely";
import type { Db, Tx } from "../database/tables.ts";
import type { RunLeaseTables } from "./tables.ts";

export type LeaseRow = Selectable<RunLeaseTables["run_lease"]>;

/** Who supervises runs in this repository, as others are told. */
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

/** The holder, unless its lease has run out or its process is known to have ended. */
export function liveHolder(row: LeaseRow | undefined, { now, host }: Onlooker): Holder | null {
  const held = row === undefined ? null : processOf(row);
  if (row === undefined || held === null || row.expires_at === null) return null;
  if (now >= row.expires_at || host.isDead(held)) return null;
  return { run_id: row.run_id, host: held.host, pid: held.pid, expires_at: row.expires_at, epoch: row.epoch };
}

export function processOf({ host, pid, process_start }: LeaseRow): ProcessIdentity | null {
  return host === null || pid === null ? null : { host, pid, startedAt: process_start ?? "" };
}

/** The supervisor that is working on the feature right now, if one is. */
export async function liveRunOn(db: Db | Tx, featureId: string, onlooker: Onlooker): Promise<Holder | null> {
  const holder = liveHolder(await leaseRow(db), onlooker);
  if (holder === null || holder.run_id === null) return null;
  const feature = await db.selectFrom("features").select("run_id").where("id", "=", featureId).executeTakeFirst();
  return feature?.run_id.split("/")[0] === holder.run_id ? holder : null;
}

export function leaseHeld(holder: Holder): SlipwayError {
  const { run_id, host, pid, expires_at, epoch } = holder;
  const what = run_id === null ? "A run that is just starting" : `Run ${run_id}`;
  // What follows the machine's name tells boots and containers apart; it is in the details.
  const machine = host.split("/")[0];
  return new SlipwayError(
    "run_lease_held",
    `${what} is being carried out by process ${pid} on ${machine}; a repository has one supervisor.`,
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
