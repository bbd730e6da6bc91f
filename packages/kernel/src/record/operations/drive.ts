import type { Blobs, Ids } from "@slipway/durable/environment";
import { toFailure, type SlipwayError } from "@slipway/durable/errors";
import { statement } from "../database/dialect.ts";
import type { Tx } from "../database/tables.ts";
import type { Journal } from "../journal/repository.ts";
import { withClaim, type ClaimTools } from "./claim.ts";
import { isFinal } from "./failures.ts";
import { endEntry, findEntry, outcomeOf, overtakenBy, releaseEntry, type Outcome, type Request } from "./ledger.ts";
import { Refusal, type Operation } from "./operation.ts";
import { encodeResponse } from "./response.ts";

export type DoorPhase = "replayed" | "started" | "effect_done" | "committed" | "failed";

export interface DriveTools extends ClaimTools {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly ids: Ids;
  readonly report: (phase: DoorPhase, request: Request) => void;
}

/** Carries a call out, or finds out how it ended before. A call that has ended is never executed again. */
export async function drive<I, E, O>(tools: DriveTools, operation: Operation<I, E, O>, input: I, request: Request): Promise<Outcome> {
  const { db, clock } = tools;
  const claim = tools.ids.next("claim");
  const { effect } = operation;
  let phase: DoorPhase = "replayed";
  const outcome = await (effect === undefined
    ? endOnce((tx, redriven) => settle(tx, undefined as E, redriven))
    : operation.unclaimed === true
      ? lookThenCommit(effect)
      : withClaim(tools, request, claim, (redriven) => carryOut(effect, redriven)));
  tools.report(phase, request);
  return outcome;

  async function endOnce(end: (tx: Tx, redriven: boolean) => Promise<Outcome>): Promise<Outcome> {
    return tools.commit(async (tx) => {
      const entry = await findEntry(tx, request);
      // An unfinished entry was begun by a release in which this operation was claimed.
      return (entry && outcomeOf(entry)) ?? end(tx, entry !== undefined);
    });
  }

  async function lookThenCommit(effect: NonNullable<Operation<I, E, O>["effect"]>): Promise<Outcome> {
    const entry = await findEntry(db, request);
    const ended = entry && outcomeOf(entry);
    if (ended !== undefined) return ended;
    tools.report("started", request);
    try {
      const done = await effect(input, { ...callOf(request), redriven: false });
      tools.report("effect_done", request);
      return await endOnce((tx) => settle(tx, done, false));
    } catch (error) {
      if (!isFinal(error)) throw error;
      return endOnce((tx) => tools.fence(tx).then(() => refuse(tx, error)));
    }
  }

  async function carryOut(effect: NonNullable<Operation<I, E, O>["effect"]>, redriven: boolean): Promise<Outcome> {
    tools.report("started", request);
    try {
      const done = await effect(input, { ...callOf(request), redriven });
      tools.report("effect_done", request);
      return await whileOurs((tx) => settle(tx, done, redriven));
    } catch (error) {
      if (isFinal(error)) return whileOurs((tx) => tools.fence(tx).then(() => refuse(tx, error)));
      await tools.commit((tx) => releaseEntry(tx, request, claim));
      throw error;
    }
  }

  function whileOurs(end: (tx: Tx) => Promise<Outcome>): Promise<Outcome> {
    return tools.commit(async (tx) => (await overtakenBy(tx, request, claim)) ?? end(tx));
  }

  /** The change, its journal event and its answer: all of it in the given transaction, or only the refusal. */
  async function settle(tx: Tx, done: E, redriven: boolean): Promise<Outcome> {
    await tools.fence(tx);
    await statement(tx, "savepoint operation");
    try {
      const output = await operation.commit(tx, input, done, { ...callOf(request), redriven });
      const event = output instanceof Refusal ? output.event : (operation.event?.(input, output) ?? null);
      const payload = { actor: { ...request.actor }, input: request.digest, event };
      await tools.journal.append(tx, { kind: "operation", name: request.name, key: request.id, at: request.at, payload });
      if (output instanceof Refusal) return await refuse(tx, output.error);
      const outcome = { response: await encodeResponse(tools.blobs, output) };
      await endEntry(tx, request, outcome, clock.now());
      phase = "committed";
      return outcome;
    } catch (error) {
      if (!isFinal(error)) throw error;
      await statement(tx, "rollback to savepoint operation");
      return refuse(tx, error);
    }
  }

  async function refuse(tx: Tx, error: SlipwayError): Promise<Outcome> {
    const outcome = { failure: toFailure(error) };
    await endEntry(tx, request, outcome, clock.now());
    phase = "failed";
    return outcome;
  }
}

function callOf({ actor, id, at }: Request) {
  return { actor, operationId: id, at };
}
