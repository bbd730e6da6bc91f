import type { Blobs, Ids } from "@slipway/durable/environment";
import { toFailure, type SlipwayError } from "@slipway/durable/errors";
import { statement } from "../database/dialect.ts";
import type { Tx } from "../database/tables.ts";
import { appendWithFacts } from "../facts/append.ts";
import { collectFacts } from "../facts/collect.ts";
import type { Journal } from "../journal/repository.ts";
import { withClaim, type ClaimTools } from "./claim.ts";
import { isFinal } from "./failures.ts";
import { endEntry, findEntry, outcomeOf, overtakenBy, releaseEntry, type OperationOutcome, type OperationRequest } from "./ledger.ts";
import { Refusal, type Operation } from "./operation.ts";
import { encodeResponse } from "./response.ts";

export type DoorPhase = "replayed" | "started" | "effect_done" | "committed" | "failed";

export interface DriveTools extends ClaimTools {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly ids: Ids;
  readonly report: (phase: DoorPhase, request: OperationRequest) => void;
}

/** Performs a call, or returns its recorded outcome. A finished call is never performed again. */
export async function drive<I, E, O>(
  tools: DriveTools,
  operation: Operation<I, E, O>,
  input: I,
  request: OperationRequest,
): Promise<OperationOutcome> {
  const { db, clock } = tools;
  const claim = tools.ids.next("claim");
  const { effect } = operation;
  let phase: DoorPhase = "replayed";
  const outcome = await (effect === undefined
    ? endOnce((tx, redriven) => commitOutcome(tx, undefined as E, redriven))
    : operation.unclaimed === true
      ? lookThenCommit(effect)
      : withClaim(tools, request, claim, (redriven) => carryOut(effect, redriven)));
  tools.report(phase, request);
  return outcome;

  async function endOnce(end: (tx: Tx, redriven: boolean) => Promise<OperationOutcome>): Promise<OperationOutcome> {
    return tools.commit(async (tx) => {
      const entry = await findEntry(tx, request);
      // An unfinished entry comes from a release in which this operation was claimed.
      return (entry && outcomeOf(entry)) ?? end(tx, entry !== undefined);
    });
  }

  async function lookThenCommit(effect: NonNullable<Operation<I, E, O>["effect"]>): Promise<OperationOutcome> {
    const entry = await findEntry(db, request);
    const ended = entry && outcomeOf(entry);
    if (ended !== undefined) return ended;
    tools.report("started", request);
    try {
      const done = await effect(input, { ...callOf(request), redriven: false });
      tools.report("effect_done", request);
      return await endOnce((tx) => commitOutcome(tx, done, false));
    } catch (error) {
      if (!isFinal(error)) throw error;
      return endOnce((tx) => tools.fence(tx).then(() => refuse(tx, error)));
    }
  }

  async function carryOut(effect: NonNullable<Operation<I, E, O>["effect"]>, redriven: boolean): Promise<OperationOutcome> {
    tools.report("started", request);
    try {
      const done = await effect(input, { ...callOf(request), redriven });
      tools.report("effect_done", request);
      return await whileOurs((tx) => commitOutcome(tx, done, redriven));
    } catch (error) {
      if (isFinal(error)) return whileOurs((tx) => tools.fence(tx).then(() => refuse(tx, error)));
      await tools.commit((tx) => releaseEntry(tx, request, claim));
      throw error;
    }
  }

  function whileOurs(end: (tx: Tx) => Promise<OperationOutcome>): Promise<OperationOutcome> {
    return tools.commit(async (tx) => (await overtakenBy(tx, request, claim)) ?? end(tx));
  }

  /** Commits the change, its journal event and its answer in the given transaction, or only the refusal. */
  async function commitOutcome(tx: Tx, done: E, redriven: boolean): Promise<OperationOutcome> {
    await tools.fence(tx);
    await statement(tx, "savepoint operation");
    try {
      const { output, facts } = await collectFacts(tx, () => operation.commit(tx, input, done, { ...callOf(request), redriven }));
      const event = output instanceof Refusal ? output.event : (operation.event?.(input, output) ?? null);
      const payload = { actor: { ...request.actor }, input: request.digest, event };
      await appendWithFacts(tools.journal, tx, { kind: "operation", name: request.name, key: request.id, at: request.at, payload }, facts);
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

  async function refuse(tx: Tx, error: SlipwayError): Promise<OperationOutcome> {
    const outcome = { failure: toFailure(error) };
    await endEntry(tx, request, outcome, clock.now());
    phase = "failed";
    return outcome;
  }
}

function callOf({ actor, id, at }: OperationRequest) {
  return { actor, operationId: id, at };
}
