import { invoke, type InvocationResult } from "@slipway/agents/invoke";
import type { InvocationBook } from "@slipway/agents/invocation-book";
import { metered, type Meter } from "@slipway/agents/prices/meter-provider";
import type { AgentEvent, Refusal } from "@slipway/agents/provider";
import type { Role } from "@slipway/agents/role";
import { isUnavailable } from "@slipway/agents/routing/tiers";
import { nativeToolsOf, type NativeTool } from "@slipway/agents/tools/native-tools";
import { SlipwayError } from "@slipway/agents/errors";
import type { Provider } from "@slipway/agents/provider";
import type { HostTraffic } from "@slipway/kernel/host/sandbox/egress";
import { fromFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import { droppedRefusals, grantRefusals } from "../firewall/outside-changes.ts";
import { trafficRefusals } from "./traffic.ts";
import type { AgentRequest, ChosenProvider, DispatcherOptions, WorkspaceRequest } from "./dispatcher.ts";
import { redactedProvider, redactedResult } from "./redact-answers.ts";
import { withWorkplace, type WorkNotes } from "./work-folder.ts";

/** The result, the provider that answered, and the digest of the transcript. */
export type Invoked<T> = InvocationResult<T> & { readonly transcript: string | null; readonly chosen: ChosenProvider };

/** These end only this call. After the pause the protocol makes another call for the same invocation. */
const PAUSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "rate_limited",
  "quota_exhausted",
  "provider_unavailable",
  "budget_exceeded",
  "answer_pending",
]);

export interface ProviderCall extends Pick<DispatcherOptions, "kernel" | "onWarning"> {
  readonly book: InvocationBook;
  /** Pending fsyncs of answers that were paid for. */
  readonly unsynced: Promise<void>[];
  readonly payer: NonNullable<Meter["role"]>;
  /** Collects what the agent tried and was not allowed. */
  readonly refusals: Refusal[];
  /** Collects what left its sandbox. */
  readonly traffic: HostTraffic[];
}

/** Calls one provider: prepares its folder, reserves and settles the cost, records the transcript. */
export async function invokeProvider<T>(
  dispatch: ProviderCall,
  request: AgentRequest<T> | WorkspaceRequest<T>,
  definition: Role,
  chosen: ChosenProvider,
  signal?: AbortSignal,
): Promise<Invoked<T>> {
  const role = narrowed(definition, request.withoutTools);
  const { kernel, book, onWarning, payer, refusals } = dispatch;
  const { subject, runId, attempt, pack, instructions, call, handAnswer = null, invocation = call.operationId } = request;
  const { budget, clock, configuration } = kernel;
  const { prices, budgets } = configuration.agents?.runtime ?? {};
  const { model, configRef = null } = chosen;
  // Wait until the last paid answer is on disk before paying for the next one.
  await Promise.all(dispatch.unsynced.splice(0));
  const onDisk = (synced: Promise<void>) => void dispatch.unsynced.push(synced);
  const meter = { budget, actor: call.actor, invocation, runId, role: payer, clock, prices, call: budgets?.call, onDisk };
  const facts = { run: runId, step: stepOf(runId, call.operationId), role: role.name, subject, attempt };
  const page = await book.begin({ ...facts, provider: chosen.provider.name, model });
  const onSecret = () =>
    onWarning(`the answer of the ${role.name} for ${subject} contained a secret of this machine; it was replaced by [redacted]`);
  const notes: WorkNotes = {
    onWarning,
    watch: page.watch,
    onDropped: (dropped) => void refusals.push(...droppedRefusals(dropped)),
    onTraffic: (traffic) => {
      dispatch.traffic.push(...traffic);
      refusals.push(...trafficRefusals(traffic));
      return page.watch({ kind: "raw", line: JSON.stringify({ egress: traffic }) });
    },
  };
  const onEvent = (event: AgentEvent) => {
    if (event.kind === "refused") refusals.push({ tool: event.tool, path: event.path, reason: event.reason });
  };
  const shared = { role, subject, attempt, pack, instructions, model, configRef, clock, onWarning, onEvent, watch: page.watch };
  const form = { answer: request.answer, ...(request.maxRepairs === undefined ? {} : { maxRepairs: request.maxRepairs }) };
  try {
    const answered = await withWorkplace(
      kernel,
      request,
      { ...playedBy(chosen.provider), tools: nativeToolsOf(role.tools) },
      (folder) => {
        const provider = metered(redactedProvider(chosen.provider, kernel, onSecret), meter);
        const hand = { key: invocation, said: handAnswer };
        return invoke({ ...shared, ...form, ...folder, provider, hand, ...(signal === undefined ? {} : { signal }) });
      },
      notes,
    );
    const result = redactedResult(kernel, answered, onSecret);
    if (!result.ok) refusals.push(...grantRefusals(result.failure));
    const pause = pauseIn(result);
    if (pause !== null) {
      page.leave(`${pause.code}: ${pause.message}`);
      const details = { provider: chosen.provider.name, ...pause.details };
      return { ok: false, failure: { ...pause, details }, usage: result.usage, chosen, transcript: null };
    }
    // Thrown, because a returned failure would be recorded as the result of the operation.
    if (!result.ok && result.failure.details["retryable"] === true) throw fromFailure(result.failure);
    return { ...result, chosen, transcript: await page.keep() };
  } catch (error) {
    page.leave(error instanceof SlipwayError ? `${error.code}: ${error.message}` : String(error));
    throw error;
  }
}

function narrowed(role: Role, without: readonly NativeTool[] = []): Role {
  const kept = (name: string) => !nativeToolsOf([name]).some((tool) => without.includes(tool));
  return without.length === 0 ? role : { ...role, tools: role.tools.filter(kept) };
}

function playedBy({ works, needsFolder }: Provider): Pick<Provider, "works" | "needsFolder"> {
  return needsFolder === undefined ? { works } : { works, needsFolder };
}

export function pauseIn(result: InvocationResult<unknown>): Failure | null {
  if (result.ok || !PAUSES.has(result.failure.code)) return null;
  // Without a dimension, the client itself stopped at its spending limit: that is its final answer.
  return result.failure.code === "budget_exceeded" && result.failure.details["dimension"] === undefined ? null : result.failure;
}

/** Tries the fallbacks in order while a provider is unavailable, with a warning each time. */
export async function firstAvailable<T>(
  choices: readonly ChosenProvider[],
  work: (chosen: ChosenProvider) => Promise<Invoked<T>>,
  onWarning: (warning: string) => void,
): Promise<Invoked<T>> {
  const [first, ...others] = choices;
  if (first === undefined) throw new TypeError("No provider was chosen for the role.");
  const result = await work(first);
  const [next] = others;
  if (result.ok || next === undefined || !isUnavailable(result.failure.code)) return result;
  onWarning(`${first.provider.name} is unavailable (${result.failure.message}); using ${next.provider.name} instead`);
  return firstAvailable(others, work, onWarning);
}

/** Operations of a run are named `<run>/<step>`. */
function stepOf(runId: string, operationId: string): string {
  return operationId.startsWith(`${runId}/`) ? operationId.slice(runId.length + 1) : operationId;
}
