import type { Json } from "./canonical.ts";
import type { JournalEvent } from "./chain.ts";
import { fromFailure, SlipwayError, type Failure } from "./errors.ts";
import { append, eventByKey, type Draft } from "./journal.ts";
import { assertStepName } from "./names.ts";
import { decodePayload, isShort, spill } from "./payload.ts";
import { durably, type Scope } from "./scope.ts";

/** Reserves the name in this execution and looks up what an earlier execution recorded under it. */
export function recall(scope: Scope, name: string, kinds: readonly string[]): Promise<JournalEvent | undefined> | undefined {
  assertStepName(name);
  const used = scope.names.size;
  if (scope.names.add(name).size === used) throw duplicate(scope, name);
  return scope.stream.unrecalled === 0 ? undefined : recallRecorded(scope, name, kinds);
}

async function recallRecorded(scope: Scope, name: string, kinds: readonly string[]): Promise<JournalEvent | undefined> {
  const event = await lookUp(scope, name);
  if (event === undefined) return undefined;
  scope.stream.unrecalled--;
  if (kinds.includes(event.kind)) return event;
  throw haltBecauseChanged(
    scope,
    `The journal of ${scope.runId} records "${event.kind}" under the name "${name}", but the code now does something else there.`,
  );
}

export function lookUp(scope: Scope, key: string): Promise<JournalEvent | undefined> {
  return durably(scope, eventByKey(scope.execution.parts.sqlite, scope.stream.name, key));
}

export interface RecordedEvent {
  readonly value?: Json;
  readonly failure?: Failure;
  readonly [field: string]: unknown;
}

export async function payloadOf(scope: Scope, event: JournalEvent): Promise<RecordedEvent> {
  return (await durably(scope, decodePayload(scope.execution.parts.blobs, event))) as unknown as RecordedEvent;
}

/** Returns the recorded value, or throws the recorded failure. */
export async function replay<T>(scope: Scope, event: JournalEvent): Promise<T> {
  const { value, failure } = await payloadOf(scope, event);
  if (failure !== undefined) throw fromFailure(failure);
  return value as T;
}

/** `text` is canonical JSON; a long text is spilled. */
export function record(scope: Scope, draft: Omit<Draft, "payload">, text: string, also?: () => void): Promise<JournalEvent> {
  const { parts, moved } = scope.execution;
  const write = (payload: string) => append(parts, scope.stream, { ...draft, payload }, also).finally(moved);
  return durably(scope, isShort(text) ? write(text) : spill(parts.blobs, text).then(write));
}

/**
 * Halts the execution because journal and code disagree. A recorded failure would be final. Accepting the version would not help: the
 * steps really differ.
 */
export function haltBecauseChanged(scope: Scope, message: string): SlipwayError {
  const error = changed(scope.runId, message, [endIt(scope.runId)]);
  scope.execution.conclude({ status: "halted", error });
  return error;
}

/** An older Slipway is no way out: it does not find, or refuses, records that this one has opened. */
export function versionChanged(runId: string, message: string): SlipwayError {
  const accept = `Continue it with this version: \`slipway resume ${rootOf(runId)} --accept-version\`. Recorded steps keep their results.`;
  return changed(runId, message, [accept, endIt(runId)]);
}

function changed(runId: string, message: string, suggested_next_actions: readonly string[]): SlipwayError {
  return new SlipwayError("workflow_version_changed", message, { run_id: runId, suggested_next_actions });
}

function endIt(runId: string): string {
  return `End it; what it has built stays recorded: \`slipway stop ${rootOf(runId)} --cancel\`.`;
}

/** Commands name the run, not one of its children. */
function rootOf(runId: string): string {
  return runId.split("/")[0] ?? runId;
}

function duplicate(scope: Scope, name: string): SlipwayError {
  return new SlipwayError("duplicate_step", `Run ${scope.runId} uses the name "${name}" twice.`, {
    run_id: scope.runId,
    step: name,
    suggested_next_actions: ["Give every step, question, sleep and child of a run its own name, for example with the number of the round."],
  });
}
