import { invoke, type InvocationResult } from "@slipway/agents/invoke";
import { openBook, type InvocationBook } from "@slipway/agents/invocation-book";
import type { Pack } from "@slipway/agents/pack";
import type { HandAnswer } from "@slipway/agents/manual/contract";
import { metered, type Meter } from "@slipway/agents/prices/meter-provider";
import type { Provider } from "@slipway/agents/provider";
import type { Role } from "@slipway/agents/role";
import { isUnavailable, raisedTier } from "@slipway/agents/routing/tiers";
import { SlipwayError } from "@slipway/agents/errors";
import { fromFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import type { Tier } from "@slipway/kernel/config/agent-parts/tiers";
import { noteTranscript } from "@slipway/kernel/budget/telemetry";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";
import { redactedProvider, redactedResult } from "./redact-answers.ts";
import { roleKeys, roleName } from "./role-keys.ts";
import { withWorkplace, type FolderWork } from "./work-folder.ts";

export interface AgentRequest<T> {
  readonly role: string;
  readonly subject: string;
  /** The run whose budget pays for it. */
  readonly runId: string;
  readonly attempt: string;
  /** The same across pauses; the call's id by default. An answer that is recorded under it is not paid for again. */
  readonly invocation?: string;
  /** How many tiers to raise the role above its own. */
  readonly escalations?: number;
  /** Where the protocol's own configuration may name another model than the role's: its key there. */
  readonly modelKey?: string | undefined;
  readonly pack: Pack;
  readonly instructions: string;
  readonly schema: z.ZodType<T>;
  readonly call: Call;
  /** The person's answer since the last call of this invocation ended with `answer_pending`. */
  readonly handAnswer?: HandAnswer | null;
  /** The folder for a provider that works on files; without it, that provider gets none. */
  readonly folder?: () => Promise<FolderWork<T>>;
}

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Calls agents for protocols. Only the dispatcher knows which provider plays which role. */
export interface AgentDispatcher {
  invoke<T>(request: AgentRequest<T>, signal?: AbortSignal): Promise<Reply<T>>;
}

/** The provider and model that play a role. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly model: string | null;
  readonly configRef?: string | null;
  /** Used in order if this provider is unavailable. */
  readonly fallbacks?: readonly ChosenProvider[];
}

export interface AskedProvider extends Pick<AgentRequest<unknown>, "modelKey"> {
  readonly tier: Tier;
  readonly escalated: boolean;
}

export interface DispatcherOptions {
  readonly kernel: Kernel;
  /** Of the run that is being carried out: roles of different protocols may share a name. */
  readonly protocol: () => string;
  readonly role: (name: string) => Promise<Role>;
  readonly provider: (role: string, asked: AskedProvider) => Promise<ChosenProvider>;
  readonly onWarning: (warning: string) => void;
  /** Records invocations; by default it keeps transcripts only. */
  readonly book?: InvocationBook;
}

/** The result, the provider that answered, and the digest of the transcript. */
type Invoked<T> = InvocationResult<T> & { readonly transcript: string | null; readonly chosen: ChosenProvider };

const invocationInput = z.strictObject({ role: z.string(), subject: z.string(), attempt: z.string(), pack: z.string() });

/** These end only this call. After the pause the protocol makes another call for the same invocation. */
const PAUSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["rate_limited", "quota_exhausted", "budget_exceeded", "answer_pending"]);

/** An invocation is an operation: once it has ended, it is never paid for again. */
export function openDispatcher(options: DispatcherOptions): AgentDispatcher {
  const { kernel, protocol, role, provider, onWarning } = options;
  const { layout, objects } = kernel.records;
  const book = options.book ?? openBook({ layout, objects, clock: kernel.clock, onWarning });
  const unsynced: Promise<void>[] = [];
  return {
    async invoke<T>(request: AgentRequest<T>, signal?: AbortSignal): Promise<Reply<T>> {
      const { role: name, subject, runId: run_id, attempt, pack, call, invocation: id = call.operationId, escalations = 0 } = request;
      const named = { protocol: protocol(), role: name };
      const payer = { role: roleName(named), role_keys: [...roleKeys(named)] };
      const dispatch: Dispatch = { kernel, book, onWarning, unsynced, payer };
      const operation: Operation<z.infer<typeof invocationInput>, Invoked<T>, Reply<T>> = {
        name: "agent.invoke",
        roles: ["orchestrator", "system"],
        input: invocationInput,
        effect: async () => {
          const definition = await role(name);
          const tier = raisedTier(definition.tier, escalations);
          const first = await provider(name, { tier, escalated: tier !== definition.tier, modelKey: request.modelKey });
          const choices = [first, ...(first.fallbacks ?? [])];
          return firstAvailable(choices, (chosen) => invokeProvider(dispatch, request, definition, chosen, signal), onWarning);
        },
        commit: async (tx, _input, { chosen, transcript: transcript_digest, ...result }, { at }) => {
          const model = result.usage.model ?? chosen.model;
          const who = { role: payer.role, provider: chosen.provider.name, model };
          if (pauseIn(result) === null) await noteTranscript(tx, { id, run_id, feature_id: subject, ...who, at, transcript_digest });
          return result.ok ? { ok: true, value: result.output } : { ok: false, failure: result.failure };
        },
        event: ({ role: who, subject: about, attempt: which }) => ({ role: who, subject: about, attempt: which }),
      };
      // A relaxed commit is enough: the budget reservation and the paid answer have their own synchronous commits.
      return kernel.door.relaxed.perform(operation, call.actor, call.operationId, { role: name, subject, attempt, pack: pack.digest });
    },
  };
}

interface Dispatch extends Pick<DispatcherOptions, "kernel" | "onWarning"> {
  readonly book: InvocationBook;
  /** Pending fsyncs of answers that were paid for. */
  readonly unsynced: Promise<void>[];
  readonly payer: NonNullable<Meter["role"]>;
}

/** Calls one provider: prepares its folder, reserves and settles the cost, records the transcript. */
async function invokeProvider<T>(
  dispatch: Dispatch,
  request: AgentRequest<T>,
  role: Role,
  chosen: ChosenProvider,
  signal?: AbortSignal,
): Promise<Invoked<T>> {
  const { kernel, book, onWarning, payer } = dispatch;
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
  const notes = { onWarning, watch: page.watch };
  const shared = { role, subject, attempt, pack, instructions, model, configRef, clock, onWarning, watch: page.watch };
  try {
    const answered = await withWorkplace(
      kernel,
      request,
      chosen.provider,
      (folder) => {
        const provider = metered(redactedProvider(chosen.provider, kernel, onSecret), meter);
        const hand = { key: invocation, said: handAnswer };
        return invoke({ ...shared, ...folder, provider, hand, ...(signal === undefined ? {} : { signal }) });
      },
      notes,
    );
    const result = redactedResult(kernel, answered, onSecret);
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

function pauseIn(result: InvocationResult<unknown>): Failure | null {
  if (result.ok || !PAUSES.has(result.failure.code)) return null;
  // Without a dimension, the client itself stopped at its spending limit: that is its final answer.
  return result.failure.code === "budget_exceeded" && result.failure.details["dimension"] === undefined ? null : result.failure;
}

/** Tries the fallbacks in order while a provider is unavailable, with a warning each time. */
async function firstAvailable<T>(
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
