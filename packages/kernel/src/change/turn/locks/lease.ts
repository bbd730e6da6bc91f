import type { Selectable } from "kysely";
import type { LocksTables } from "./tables.ts";

export type LockRow = Selectable<LocksTables["locks"]>;

/** A holder's lease. The token increases with each new holder, so that a lost lease is never mistaken for the new one. */
export interface LockLease {
  readonly resource: string;
  readonly holder: string;
  readonly leaseId: string;
  readonly token: number;
  readonly expiresAt: number;
}

/** Evidence that an expired lease was taken over. */
export interface Reclaimed {
  readonly code: "stale_lock_reclaimed";
  readonly resource: string;
  readonly former_holder: string;
  readonly expired_at: number;
}

export type LockState = "free" | "own" | "held" | "expired";

/** The state of a lock for a feature that wants it. An unexpired lease of another feature is never taken over. */
export function lockStateFor(row: LockRow | undefined, holder: string, now: number): LockState {
  if (row === undefined || row.holder === null) return "free";
  if (row.holder === holder) return "own";
  return now < row.expires_at ? "held" : "expired";
}

/** Limits the expiry to one full term from now, because a clock set back would extend it. */
export function effectiveExpiry(row: Pick<LockRow, "expires_at" | "ttl_ms">, now: number): number {
  return Math.min(row.expires_at, now + row.ttl_ms);
}

/** Whether the holder may write under this lock. Not under an expired lease, even if no other feature has taken it. */
export function isInForce(row: LockRow | undefined, holder: string, now: number): boolean {
  return row?.holder === holder && now < row.expires_at;
}

const RESERVED = "reserved:";

/** The lease id of a lock that recovery reserves for its former holder, which must take it again before it resumes. */
export function reservedLease(id: string): string {
  return `${RESERVED}${id}`;
}

export function isReserved(leaseId: string | null): boolean {
  return leaseId?.startsWith(RESERVED) === true;
}

/** The global order in which several locks are taken. */
export function inLockOrder(resources: readonly string[]): string[] {
  return [...new Set(resources)].toSorted((a, b) => (a < b ? -1 : 1));
}
