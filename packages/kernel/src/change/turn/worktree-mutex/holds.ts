import { setTimeout as sleepFor } from "node:timers/promises";
import { systemIds, type Clock, type Ids } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import type { Selectable } from "kysely";
import { fixed, fixedWith } from "../../../record/database/prepared-query.ts";
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
  /** How long to wait for somebody else's work on the same files. */
  readonly waitMs?: number;
}

export interface HoldRequest {
  readonly featureId: string;
  /** What is going to be done. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

export type WithWorktree = <T>(request: HoldRequest, work: () => Promise<T>) => Promise<T>;

const WAIT_MS = 600_000;
const FIRST_POLL_MS = 5;
const MAX_POLL_MS = 200;
/** How long a holder that cannot be examined is believed to be alive. */
const UNKNOWN_OWNER_MS = 60_000;

/** Holds of this process: one of ours that is not here was left behind by a failure. */
const activeClaims = new Set<string>();

/**
 * One operation at a time works on a feature's files, whichever process it is in: a patch never lands under a running gate.
 * Within a process in order of arrival. What a dead process held is free at once.
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

  /** A hold means nothing after a power cut. */
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

  async function held<T>(request: HoldRequest, work: () => Promise<T>): Promise<T> {
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
    const turn = endOf(lines.get(request.featureId), request.signal).then(() => held(request, work));
    lines.set(request.featureId, turn);
    try {
      return await turn;
    } finally {
      if (lines.get(request.featureId) === turn) lines.delete(request.featureId);
    }
  };
}

const holdOf = fixed((db, featureId: string) => db.selectFrom("worktree_holds").selectAll().where("feature_id", "=", featureId));

const putHold = fixedWith((db, { feature_id, ...hold }: Selectable<HoldsTables["worktree_holds"]>) =>
  db
    .insertInto("worktree_holds")
    .values({ feature_id, ...hold })
    .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(hold)),
);

const endHold = fixed((db, claim: string) => db.deleteFrom("worktree_holds").where("claim", "=", claim));

/** However it ends; or when the caller no longer wants to wait. */
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
  throw new SlipwayError("run_stopped", `${operation} of "${featureId}" was stopped before it began.`, {}, { cause: signal.reason });
}

function busy({ featureId, operation }: HoldRequest, other: string): SlipwayError {
  return new SlipwayError("operation_in_progress", `${operation} has to wait: ${other} is at work on the files of "${featureId}".`, {
    feature_id: featureId,
    operation: other,
    suggested_next_actions: ["Repeat the call when that has ended."],
  });
}
