import { SlipwayError } from "../../../schema/errors.ts";
import { preparedQuery } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import {
  effectiveExpiry,
  inLockOrder,
  isInForce,
  isReserved,
  reservedLease,
  lockStateFor,
  type LockLease,
  type LockRow,
  type Reclaimed,
} from "./lease.ts";

export interface AcquireRequest {
  readonly resources: readonly string[];
  readonly holder: string;
  readonly ttlMs: number;
  /** The resources in the policy; no others can be locked. */
  readonly allowed: readonly string[];
  readonly leaseId: () => string;
}

export interface Acquired {
  readonly leases: readonly LockLease[];
  readonly evidence: readonly Reclaimed[];
}

/** Takes all resources or none, without waiting. Renews locks that the holder already has. */
export async function acquireWithin(tx: Tx, request: AcquireRequest, now: number): Promise<Acquired> {
  const wanted = inLockOrder(request.resources);
  assertAllowed(wanted, request.allowed);
  const leases: LockLease[] = [];
  const evidence: Reclaimed[] = [];
  const inTheWay: LockRow[] = [];
  for (const resource of wanted) {
    const row = await findLock(tx, resource);
    const state = lockStateFor(row, request.holder, now);
    if (row !== undefined && state === "held") inTheWay.push(row);
    if (row !== undefined && state === "expired") evidence.push(reclaimed(row));
    if (state !== "held") leases.push(await grant(tx, resource, row, request, now, state === "own"));
  }
  if (inTheWay.length > 0) throw conflict(inTheWay, now);
  return { leases, evidence };
}

/** Renews the lease, also after its expiry if no other holder has taken it. */
export async function renewWithin(
  tx: Tx,
  { resource, holder, token }: Pick<LockLease, "resource" | "holder" | "token">,
  ttlMs: number,
  now: number,
): Promise<LockLease> {
  const row = await findLock(tx, resource);
  if (row !== undefined && row.token > token) throw taken(resource, holder, row.holder);
  if (row?.holder !== holder || row.token !== token || row.lease_id === null) throw notHeld(resource, holder, row?.holder ?? null);
  await tx
    .updateTable("locks")
    .set({ expires_at: now + ttlMs, ttl_ms: ttlMs })
    .where("resource", "=", resource)
    .execute();
  return { resource, holder, leaseId: row.lease_id, token, expiresAt: now + ttlMs };
}

export async function releaseWithin(
  tx: Tx,
  { resource, holder, token }: { readonly resource: string; readonly holder: string; readonly token?: number },
): Promise<void> {
  const row = await findLock(tx, resource);
  if (row?.holder !== holder || (token !== undefined && row.token !== token)) throw notHeld(resource, holder, row?.holder ?? null);
  await tx.updateTable("locks").set({ holder: null, lease_id: null }).where("resource", "=", resource).execute();
}

/** Releases all locks of the holder. Returns their names. */
export async function releaseAllWithin(tx: Tx, holder: string): Promise<string[]> {
  const released = await tx
    .updateTable("locks")
    .set({ holder: null, lease_id: null })
    .where("holder", "=", holder)
    .returning("resource")
    .execute();
  return inLockOrder(released.map(({ resource }) => resource));
}

export interface LostLock {
  readonly resource: string;
  /** The current holder; null if the lock is free. */
  readonly holder: string | null;
}

/** Called in a protected write: the locks under which this holder may not write now. */
export async function lostLocks(db: Db | Tx, holder: string, resources: readonly string[], now: number): Promise<LostLock[]> {
  const lost: LostLock[] = [];
  for (const resource of inLockOrder(resources)) {
    const row = await findLock(db, resource);
    if (isInForce(row, holder, now)) continue;
    const other = row !== undefined && lockStateFor(row, holder, now) === "held" ? row.holder : null;
    lost.push({ resource, holder: other });
  }
  return lost;
}

/** Holders for which expired locks are reserved. */
export interface LockReservation {
  readonly holders: readonly string[];
  readonly ttlMs: number;
  readonly leaseId: string;
}

/** For recovery: releases expired locks, or reserves them. Raises their tokens, so that former holders notice. */
export async function reclaimExpiredWithin(tx: Tx, now: number, reservation?: LockReservation): Promise<Reclaimed[]> {
  const rows = await tx
    .selectFrom("locks")
    .selectAll()
    .where("holder", "is not", null)
    .where("expires_at", "<=", now)
    .orderBy("resource")
    .execute();
  for (const { resource, token, holder } of rows) {
    const again =
      reservation === undefined || holder === null || !reservation.holders.includes(holder)
        ? { holder: null, lease_id: null }
        : { lease_id: reservedLease(reservation.leaseId), expires_at: now + reservation.ttlMs, ttl_ms: reservation.ttlMs };
    await tx
      .updateTable("locks")
      .set({ ...again, token: token + 1 })
      .where("resource", "=", resource)
      .execute();
  }
  return rows.map(reclaimed);
}

const allHeld = preparedQuery((db) => db.selectFrom("locks").selectAll().where("holder", "is not", null).orderBy("resource"));
const heldBy = preparedQuery((db, holder: string) => db.selectFrom("locks").selectAll().where("holder", "=", holder).orderBy("resource"));

export async function heldLocks(db: Db | Tx, holder?: string): Promise<LockLease[]> {
  const rows = await (holder === undefined ? allHeld(db) : heldBy(db, holder));
  return rows.map((row) => ({
    resource: row.resource,
    holder: row.holder ?? "",
    leaseId: row.lease_id ?? "",
    token: row.token,
    expiresAt: row.expires_at,
  }));
}

/** After the clock was set back, limits the conflicting lease to one term. A separate transaction, because a refused acquire rolls back. */
export async function trimWithin(tx: Tx, resources: readonly string[], now: number): Promise<void> {
  for (const resource of resources) {
    const row = await findLock(tx, resource);
    if (row === undefined || row.expires_at <= now + row.ttl_ms) continue;
    await tx
      .updateTable("locks")
      .set({ expires_at: effectiveExpiry(row, now) })
      .where("resource", "=", resource)
      .execute();
  }
}

async function grant(
  tx: Tx,
  resource: string,
  row: LockRow | undefined,
  { holder, ttlMs, leaseId }: AcquireRequest,
  now: number,
  own: boolean,
): Promise<LockLease> {
  const lease = {
    holder,
    token: own && row !== undefined ? row.token : (row?.token ?? 0) + 1,
    lease_id: own && row?.lease_id != null && !isReserved(row.lease_id) ? row.lease_id : leaseId(),
    ttl_ms: ttlMs,
    acquired_at: own && row !== undefined ? row.acquired_at : now,
    expires_at: now + ttlMs,
  };
  await tx
    .insertInto("locks")
    .values({ resource, ...lease })
    .onConflict((conflict) => conflict.column("resource").doUpdateSet(lease))
    .execute();
  return { resource, holder, leaseId: lease.lease_id, token: lease.token, expiresAt: lease.expires_at };
}

function findLock(tx: Db | Tx, resource: string): Promise<LockRow | undefined> {
  return tx.selectFrom("locks").selectAll().where("resource", "=", resource).executeTakeFirst();
}

function reclaimed({ resource, holder, expires_at }: LockRow): Reclaimed {
  return { code: "stale_lock_reclaimed", resource, former_holder: holder ?? "", expired_at: expires_at };
}

function assertAllowed(wanted: readonly string[], allowed: readonly string[]): void {
  const unknown = wanted.filter((resource) => !allowed.includes(resource));
  if (unknown.length === 0) return;
  throw new SlipwayError(
    "policy_violation",
    `locks.resources in the policy does not contain ${unknown.map((name) => `"${name}"`).join(", ")}.`,
    {
      resources: unknown,
      allowed,
      file: "slipway/policy.yaml",
      field: "locks.resources",
      suggested_next_actions: [`Use one of ${allowed.join(", ")}, or add the resource to locks.resources.`],
    },
  );
}

function conflict(rows: readonly LockRow[], now: number): SlipwayError {
  const held = rows.map((row) => ({ resource: row.resource, holder: row.holder ?? "", expires_at: effectiveExpiry(row, now) }));
  return new SlipwayError(
    "lock_conflict",
    `Locked by another feature: ${held.map(({ resource, holder }) => `"${resource}" by "${holder}"`).join(", ")}.`,
    {
      held,
      conflicting_feature_ids: inLockOrder(held.map(({ holder }) => holder)),
      suggested_next_actions: ["Wait until the lock is released or its lease ends, or revise the plan so that it does not need the lock."],
    },
  );
}

function notHeld(resource: string, holder: string, current: string | null): SlipwayError {
  return new SlipwayError(
    "lock_not_held",
    `"${holder}" does not hold the lock "${resource}"; ${current === null || current === holder ? "its lease is not in force" : `"${current}" does`}.`,
    {
      resource,
      holder,
      conflicting_feature_ids: current === null || current === holder ? [] : [current],
      suggested_next_actions: ["Acquire the lock (again) before the protected write."],
    },
  );
}

function taken(resource: string, holder: string, current: string | null): SlipwayError {
  return new SlipwayError(
    "stale_lock_reclaimed",
    `The lease of "${holder}" on "${resource}" expired and was taken over${current === null ? "" : ` by "${current}"`}.`,
    {
      resource,
      holder,
      conflicting_feature_ids: current === null ? [] : [current],
      suggested_next_actions: ["Stop writing under this lock. Acquire it again to continue."],
    },
  );
}
