import type { Failure } from "@slipway/durable/errors";
import { SlipwayError } from "../../schema/errors.ts";
import type { Selectable } from "kysely";
import { preparedQuery, preparedQueryWith } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import type { Actor } from "./operation.ts";
import type { OperationsTables } from "./tables.ts";

export type LedgerEntry = Selectable<OperationsTables["operations"]>;

export interface OperationRequest {
  readonly id: string;
  readonly name: string;
  readonly actor: Actor;
  readonly digest: string;
  readonly at: number;
}

/** How an operation ended, as the ledger records it. */
export type OperationOutcome = { readonly response: string } | { readonly failure: Failure };

const entryRow = preparedQuery((db, id: string) => db.selectFrom("operations").selectAll().where("id", "=", id));

export async function findEntry(db: Db | Tx, request: OperationRequest): Promise<LedgerEntry | undefined> {
  const [entry] = await entryRow(db, request.id);
  if (entry !== undefined) assertSameCall(entry, request);
  return entry;
}

export function assertSameCall(
  earlier: { readonly name: string; readonly input_digest: string; readonly actor_type: string },
  request: OperationRequest,
): void {
  const differs = [
    earlier.name !== request.name && `it was ${earlier.name}`,
    earlier.input_digest !== request.digest && "the input differs",
    earlier.actor_type !== request.actor.type && `the caller was a ${earlier.actor_type}`,
  ].filter((reason) => reason !== false);
  if (differs.length === 0) return;
  throw new SlipwayError(
    "operation_conflict",
    `The operation id "${request.id}" was already used for a different call: ${differs.join(", ")}. Nothing was done.`,
    {
      operation_id: request.id,
      earlier_operation: earlier.name,
      suggested_next_actions: ["Use a new operation id for a new call, or repeat the earlier call exactly."],
    },
  );
}

export function outcomeOf(entry: LedgerEntry): OperationOutcome | undefined {
  if (entry.response !== null) return { response: entry.response };
  if (entry.failure !== null) return { failure: JSON.parse(entry.failure) as Failure };
  return undefined;
}

/** Claims the operation for this attempt. The caller has checked that no live process owns it. */
export async function claimEntry(tx: Tx, request: OperationRequest, claim: string, owner: string): Promise<void> {
  await claimedRow(tx, { ...newEntry(request), status: "started", claim, owner });
}

const claimedRow = preparedQueryWith((db, row: LedgerEntry) => {
  const { claim, owner, started_at } = row;
  return db
    .insertInto("operations")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ claim, owner, started_at }));
});

/** Releases an unfinished operation; the next call drives it again. */
export async function releaseEntry(tx: Tx, request: OperationRequest, claim: string): Promise<void> {
  await tx.updateTable("operations").set({ claim: null, owner: null }).where("id", "=", request.id).where("claim", "=", claim).execute();
}

/** Checks a claim before the attempt writes. Returns the outcome if another attempt has ended the operation; a stale owner stops here. */
export async function overtakenBy(tx: Tx, request: OperationRequest, claim: string): Promise<OperationOutcome | undefined> {
  const entry = await findEntry(tx, request);
  if (entry?.claim === claim) return undefined;
  const outcome = entry && outcomeOf(entry);
  if (outcome !== undefined) return outcome;
  throw new SlipwayError(
    "lease_lost",
    `Another process took over the operation "${request.id}" (${request.name}); this attempt changed nothing.`,
    { operation_id: request.id },
  );
}

export async function endEntry(tx: Tx, request: OperationRequest, outcome: OperationOutcome, at: number): Promise<void> {
  const ended =
    "response" in outcome
      ? { status: "finished" as const, response: outcome.response, failure: null }
      : { status: "failed" as const, response: null, failure: JSON.stringify(outcome.failure) };
  await endedRow(tx, { ...newEntry(request), ...ended, claim: null, owner: null, finished_at: at });
}

const endedRow = preparedQueryWith((db, row: LedgerEntry) => {
  const { status, response, failure, claim, owner, finished_at } = row;
  return db
    .insertInto("operations")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ status, response, failure, claim, owner, finished_at }));
});

/** Operations that have started and not ended, for recovery. Oldest first. */
export async function unfinishedOperations(db: Db): Promise<LedgerEntry[]> {
  return db.selectFrom("operations").selectAll().where("status", "=", "started").orderBy("started_at").orderBy("id").execute();
}

function newEntry(request: OperationRequest) {
  return {
    id: request.id,
    name: request.name,
    actor_type: request.actor.type,
    actor_id: request.actor.id,
    input_digest: request.digest,
    started_at: request.at,
    finished_at: null,
    response: null,
    failure: null,
  };
}
