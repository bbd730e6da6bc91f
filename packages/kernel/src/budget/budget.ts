import type { Clock, Ids } from "@slipway/durable/environment";
import { spill, spilledDigest } from "@slipway/durable/payload";
import { preparedQuery } from "../record/database/prepared-query.ts";
import type { Db } from "../record/database/tables.ts";
import type { Call } from "../record/operations/call.ts";
import type { Objects } from "../record/objects/store.ts";
import type { FrontDoor } from "../record/operations/door.ts";
import type { Actor } from "../record/operations/operation.ts";
import { ownersOn, type Owners } from "../record/operations/owners.ts";
import { allowOperation, raiseOperation, type RaiseInput } from "./raise.ts";
import { reserveOperation, type BudgetsConfig, type Reservation, type ReserveInput } from "./reserve.ts";
import { cutOffOperation, settleOperation, type SettleInput } from "./settle.ts";
import { keptReplyOf } from "./store.ts";

/** Limits and costs of agent calls, shared by every process that works on the repository. */
export interface Budget {
  /** Reserves the worst case of a call. Refuses with budget_exceeded if a budget might be exceeded. Synced when it resolves. */
  reserve(actor: Actor, wish: ReserveInput): Promise<Reservation>;
  /** Replaces the worst case by the real cost. A relaxed commit: wait for `onDisk` before you pass the answer on. */
  settle(actor: Actor, taken: SettleInput): Promise<{ readonly onDisk: Promise<void> }>;
  /** Ends the reservations of dead processes: their calls count as spent, at their worst case. */
  cutOff(actor: Actor): Promise<readonly string[]>;
  /** Stores an answer and returns its reference for `settle`. */
  keepReply(reply: unknown): Promise<string>;
  keptReply(call: Pick<ReserveInput, "invocation" | "repair" | "prompt_digest">): Promise<unknown>;
  raise(call: Call, input: RaiseInput): Promise<void>;
  allowOnce(call: Call, invocation: string): Promise<void>;
}

export interface BudgetOptions {
  readonly db: Db;
  readonly door: FrontDoor;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: BudgetsConfig | undefined;
  readonly owners?: Owners;
}

export function openBudget({ db, door, objects, clock, ids, config, owners = ownersOn() }: BudgetOptions): Budget {
  const reserving = reserveOperation(config, owners.self);

  async function cutOff(actor: Actor): Promise<readonly string[]> {
    const others = await reservedByOthers(db, owners.self);
    const gone = others.filter((row) => isGone(owners, row, clock.now())).map(({ id }) => id);
    for (const reservation of gone) await door.perform(cutOffOperation, actor, `${reservation}/cut-off`, { reservation });
    return gone;
  }
  return {
    cutOff,
    async reserve(actor, wish) {
      await cutOff(actor);
      // A new id for each call: a repeated call is paid for again.
      const id = `${wish.invocation}/reserve:${wish.repair}#${ids.next("call")}`;
      return door.syncedInBackground.perform(reserving, actor, id, wish);
    },
    async settle(actor, taken) {
      await door.relaxed.perform(settleOperation, actor, `${taken.reservation}/settle`, taken);
      const onDisk = door.flush();
      // The caller that awaits `onDisk` gets the error; this only prevents an unhandled rejection.
      onDisk.catch(() => undefined);
      return { onDisk };
    },
    keepReply: (reply) => spill(objects, JSON.stringify({ reply })),
    async keptReply(call) {
      const kept = await keptReplyOf(db, call);
      return kept === null ? null : replyIn(objects, kept);
    },
    async raise({ actor, operationId }, input) {
      await door.perform(raiseOperation, actor, operationId, input);
    },
    async allowOnce({ actor, operationId }, invocation) {
      await door.perform(allowOperation, actor, operationId, { invocation });
    },
  };
}

/** The answer itself, or the object it refers to. Earlier releases stored every answer as an object, and only its digest here. */
async function replyIn(objects: Objects, kept: string): Promise<unknown> {
  const digest = spilledDigest(kept) ?? (/^[0-9a-f]{64}$/.test(kept) ? kept : null);
  if (digest === null) return (JSON.parse(kept) as { readonly reply: unknown }).reply;
  const found: unknown = JSON.parse(Buffer.from(await objects.get(digest)).toString("utf8"));
  return digest === kept ? found : (found as { readonly reply: unknown }).reply;
}

const reservedByOthers = preparedQuery((db, self: string) =>
  db.selectFrom("reservations").select(["id", "owner", "at", "duration_ms"]).where("status", "=", "reserved").where("owner", "!=", self),
);

/** Tolerance for the clock of another machine. */
const GRACE_MS = 60_000;

function isGone(owners: Owners, row: { readonly owner: string; readonly at: number; readonly duration_ms: number }, now: number): boolean {
  const state = owners.stateOf(row.owner);
  return state === "unknown" ? now > row.at + row.duration_ms + GRACE_MS : state === "dead";
}
