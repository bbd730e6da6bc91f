import { setTimeout as sleepFor } from "node:timers/promises";
import { digestOf } from "@slipway/durable/canonical";
import { systemIds, type Blobs, type Clock, type Ids } from "@slipway/durable/environment";
import { SlipwayError } from "../../schema/errors.ts";
import { fromFailure } from "@slipway/durable/errors";
import { journalOnDisk } from "@slipway/durable/journal";
import { connectionOf, transactionOn } from "../database/dialect.ts";
import type { Db, Tx } from "../database/tables.ts";
import type { Journal } from "../journal/repository.ts";
import { drive, type DoorPhase, type DriveTools } from "./drive.ts";
import { decodeResponse } from "./response.ts";
import { assertSameCall, type OperationOutcome, type OperationRequest } from "./ledger.ts";
import { authorize, parseInput, type Actor, type Operation } from "./operation.ts";
import { ownersOn, type Owners } from "./owners.ts";

export interface DoorEvent {
  readonly phase: DoorPhase;
  readonly name: string;
  readonly operationId: string;
  readonly actor: Actor;
}

export interface DoorOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly ids?: Ids;
  readonly owners?: Owners;
  readonly sleep?: (ms: number) => Promise<void>;
  /** How long to wait for another process that is performing the same call. */
  readonly waitMs?: number;
  readonly observe?: (event: DoorEvent) => void;
  /** Runs in every write transaction; throws if this process may no longer write. */
  readonly fence?: (tx: Tx) => Promise<void>;
}

/** The one way to change state, for every surface and every protocol. */
export interface Door {
  perform<I, E, O>(operation: Operation<I, E, O>, actor: Actor, operationId: string, input: unknown): Promise<O>;
}

export interface FrontDoor extends Door {
  /** Relaxed commits, for a run that causes no external effect before its next synchronous commit. */
  readonly relaxed: Door;
  /** A relaxed commit followed by a flush: durable when the promise resolves, without blocking the event loop. */
  readonly syncedInBackground: Door;
  /** Fsyncs all commits so far, on a worker thread. */
  flush(): Promise<void>;
}

const WAIT_MS = 600_000;
const MAX_ID_LENGTH = 512;

export function createDoor(options: DoorOptions): FrontDoor {
  const { blobs, clock, observe } = options;
  const report: DriveTools["report"] = (phase, { name, id, actor }) => observe?.({ phase, name, operationId: id, actor });
  const tools: DriveTools = {
    ids: systemIds,
    owners: ownersOn(),
    sleep: (ms) => sleepFor(ms),
    waitMs: WAIT_MS,
    fence: async () => undefined,
    commit: (work) => transactionOn(options.db, work),
    ...options,
    report,
  };
  const underWay = new Map<string, { readonly request: OperationRequest; readonly outcome: Promise<OperationOutcome> }>();

  async function outcomeOfCall(request: OperationRequest, start: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const running = underWay.get(request.id);
    if (running !== undefined) {
      assertSameCall({ name: running.request.name, input_digest: running.request.digest, actor_type: running.request.actor.type }, request);
      return running.outcome;
    }
    const outcome = start();
    underWay.set(request.id, { request, outcome });
    try {
      return await outcome;
    } finally {
      underWay.delete(request.id);
    }
  }

  const doorWith = (given: DriveTools): Door => ({
    async perform<I, E, O>(operation: Operation<I, E, O>, actor: Actor, operationId: string, input: unknown): Promise<O> {
      authorize(operation, actor);
      assertOperationId(operationId);
      const parsed = parseInput(operation, input);
      const request: OperationRequest = {
        id: operationId,
        name: operation.name,
        actor,
        digest: digestOf(input),
        at: Math.floor(clock.now()),
      };
      const outcome = await outcomeOfCall(request, () => drive(given, operation, parsed, request));
      if ("failure" in outcome) throw fromFailure(outcome.failure);
      return (await decodeResponse(blobs, outcome.response)) as O;
    },
  });

  const relaxed = doorWith({ ...tools, commit: (work) => transactionOn(options.db, work, "relaxed") });

  async function flush(): Promise<void> {
    const sqlite = connectionOf(options.db);
    if (sqlite !== undefined) await journalOnDisk(sqlite);
  }

  const syncedInBackground: Door = {
    async perform(operation, actor, operationId, input) {
      const output = await relaxed.perform(operation, actor, operationId, input);
      await flush();
      return output;
    },
  };
  return { ...doorWith(tools), relaxed, syncedInBackground, flush };
}

function assertOperationId(id: string): void {
  if (id.length > 0 && id.length <= MAX_ID_LENGTH) return;
  throw new SlipwayError("schema_validation_failed", `An operation id has 1 to ${MAX_ID_LENGTH} characters; this one has ${id.length}.`, {
    violations: [
      {
        pointer: "/operation_id",
        rule: "minimum",
        expected: `1 to ${MAX_ID_LENGTH} characters`,
        message: "The length of the operation id is out of bounds.",
      },
    ],
  });
}
