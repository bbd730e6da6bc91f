import type { Selectable } from "kysely";
import type { LocksTables } from "./tables.ts";

export type LockRow = Selectable<LocksTables["locks"]>;

/** What a holder has in hand. The token goes up each time the lock changes hands, so a lease that was lost is never taken for the new one. */
export interface Lease {
  readonly resource: string;
  readonly holder: string;
  readonly leaseId: string;
  readonly token: number;
  readonly expiresAt: number;
}

/** Evidence that an expired lease was taken from its holder. */
export interface Reclaimed {
  readonly code: "stale_lock_reclaimed";
  readonly resource: string;
  readonly former_holder: string;
  readonly expired_at: number;
}

export type Standing = "free" | "own" | "held" | "expired";

/** How a lock stands towards somebody who wants it. An unexpired lease of another is never up for taking. */
export function standingOf(row: LockRow | undefined, holder: string, now: number): Standing {
  if (row === undefined || row.holder === null) return "free";
  if (row.holder === holder) return "own";
  return now < row.expires_at ? "held" : "expired";
}

/** A lease never has more than its whole term left; when the clock was put back, it seems to. */
export function effectiveExpiry(row: Pick<LockRow, "expires_at" | "ttl_ms">, now: number): number {
  return Math.min(row.expires_at, now + row.ttl_ms);
}

/** Whether the holder may write under this lock. Under an expired lease it may not, even while nobody has taken it. */
export function isInForce(row: LockRow | undefined, holder: string, now: number): boolean {
  return row?.holder === holder && now < row.expires_at;
}

const RESERVED = "reserved:";

/** The lease of a lock that recovery keeps for its former holder, which has to take it again before it goes on. */
export function reservedLease(id: string): string {
  return `${RESERVED}${id}`;
}

export function isReserved(leaseId: string | null): boolean {
  return leaseId?.startsWith(RESERVED) === true;
}

/** The one order in which several locks are taken. */
export function inOrder(resources: readonly string[]): string[] {
  return [...new Set(resources)].toSorted((a, b) => (a < b ? -1 : 1));
}
