import { setTimeout as sleepFor } from "node:timers/promises";
import { systemIds, type Clock, type Ids } from "@slipway/durable/environment";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Selectable } from "kysely";
import { preparedQuery, preparedQueryWith } from "../../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { transactionOn } from "../../../record/database/dialect.ts";
import { ownersOn, type Owners } from "../../../record/operations/owners.ts";
import type { HoldsTables } from "./tables.ts";

export interface HoldOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids?: Ids;
  readonly owners?: Owners;
  readonly sleep?: (ms: number) => Promise<void>;
  /** How long to wait for another operation on the same files. */
  readonly waitMs?: number;
}

export interface HoldRequest {
  readonly featureId: string;
  /** The name of the operation. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

export type WithWorktree = <T>(request: HoldRequest, work: () => Promise<T>) => Promise<T>;

const WAIT_MS = 600_000;
const FIRST_POLL_MS = 5;
const MAX_POLL_MS = 200;
/** How long a holder that cannot be inspected counts as alive. */
const UNKNOWN_OWNER_MS = 60_000;

/** Holds of this process. A row of this process that is not in this set is left over from a failure. */
const activeClaims = new Set<string>();

/**
 * Serialises operations on a feature's files across processes: a patch never changes files under a running gate. Within a process, in order
 * of arrival. A hold of a dead process is free at once.
 */
export function openHolds(options: HoldOptions): WithWorktree {
  const { db, clock, ids = systemIds, owners = ownersOn(), sleep = sleepFor, waitMs = WAIT_MS } = options;
  const lines = new Map<string, Promise<unknown>>();

  async function take(request: HoldRequest, claim: string): Promise<void> {
    const deadline = clock.monotonic() + waitMs;
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
      throwIfStopped(request);
      const holder = await relaxed((tx) => claimOrHolder(tx, request, claim));
      if (holder === null) return;
      if (clock.monotonic() >= deadline) throw busy(request, holder.operation);
      await sleep(pollMs);
    }
  }

  /** A hold need not survive a power cut. */
  const relaxed = <T>(work: (tx: Tx) => Promise<T>) => transactionOn(db, work, "relaxed");

  async function claimOrHolder(tx: Tx, { featureId: feature_id, operation }: HoldRequest, claim: string) {
    const [holder] = await holdOf(tx, feature_id);
    const now = Math.floor(clock.now());
    if (holder !== undefined && isAtWork(holder, now)) return holder;
    await putHold(tx, { feature_id, claim, owner: owners.self, operation, since: now });
    return null;
  }

  function isAtWork(holder: { owner: string; claim: string; since: number }, now: number): boolean {
    if (holder.owner === owners.self) return activeClaims.has(holder.claim);
    const state = owners.stateOf(holder.owner);
    return state === "unknown" ? now - holder.since < UNKNOWN_OWNER_MS : state === "alive";
  }

  async function withHold<T>(request: HoldRequest, work: () => Promise<T>): Promise<T> {
    const claim = ids.next("hold");
    activeClaims.add(claim);
    try {
      await take(request, claim);
      return await work();
    } finally {
      activeClaims.delete(claim);
      await relaxed((tx) => endHold(tx, claim));
    }
  }

  return async (request, work) => {
    const turn = endOf(lines.get(request.featureId), request.signal).then(() => withHold(request, work));
    lines.set(request.featureId, turn);
    try {
      return await turn;
    } finally {
      if (lines.get(request.featureId) === turn) lines.delete(request.featureId);
    }
  };
}

const holdOf = preparedQuery((db, featureId: string) => db.selectFrom("worktree_holds").selectAll().where("feature_id", "=", featureId));

const putHold = preparedQueryWith((db, { feature_id, ...hold }: Selectable<HoldsTables["worktree_holds"]>) =>
  db
    .insertInto("worktree_holds")
    .values({ feature_id, ...hold })
    .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(hold)),
);

const endHold = preparedQuery((db, claim: string) => db.deleteFrom("worktree_holds").where("claim", "=", claim));

/** Resolves when the previous work has ended in any way, or when the caller stops waiting. */
function endOf(before: Promise<unknown> | undefined, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    signal?.removeEventListener("abort", done);
    resolve();
  };
  signal?.addEventListener("abort", done);
  Promise.resolve(before).then(done, done);
  return promise;
}

function throwIfStopped({ signal, operation, featureId }: HoldRequest): void {
  if (signal?.aborted !== true) return;
  throw new SlipwayError("run_stopped", `${operation} of "${featureId}" was stopped before it started.`, {}, { cause: signal.reason });
}

function busy({ featureId, operation }: HoldRequest, other: string): SlipwayError {
  return new SlipwayError("operation_in_progress", `${operation} must wait: ${other} is using the files of "${featureId}".`, {
    feature_id: featureId,
    operation: other,
    suggested_next_actions: ["Repeat the call after that operation has ended."],
  });
}
