import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "./errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { ByHand } from "./manual/contract.ts";
import { parseOutput } from "./output.ts";
import { buildPrompt, folderPrompt, repairPrompt, type FolderNote, type PromptParts } from "./prompt.ts";
import { nativeToolsOf } from "./tools/native-tools.ts";
import type { AgentEvent, Provider, ProviderReply, ProviderRequest, WorkerInput, Workplace } from "./provider.ts";
import type { Moment, Watch } from "./transcripts/line.ts";
import { addCall, exhausted, NO_USAGE, type CallBudget, type Usage } from "./usage.ts";
import type { z } from "zod";

export interface Invocation<T> extends Omit<PromptParts, "schema"> {
  readonly schema: z.ZodType<T>;
  readonly attempt: string;
  readonly provider: Provider;
  readonly model?: string | null;
  readonly configRef?: string | null;
  readonly clock: Clock;
  readonly budget?: CallBudget;
  readonly signal?: AbortSignal;
  /** How often an invalid answer is sent back. */
  readonly maxRepairs?: number;
  /** For a provider that works on files. */
  readonly workplace?: Workplace | null;
  /** The prompt's note about its folder. */
  readonly folder?: FolderNote | null;
  readonly timeoutMs?: number;
  /** For a provider whose answer comes later. */
  readonly hand?: ByHand | undefined;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Receives every event in order, for transcripts and traces. */
  readonly watch?: Watch;
  readonly onWarning?: (warning: string) => void;
}

export type InvocationResult<T> = ({ readonly ok: true; readonly output: T } | { readonly ok: false; readonly failure: Failure }) & {
  readonly usage: Usage;
  /** What was wrong with each answer that was sent back. */
  readonly sentBack?: readonly string[];
};

const MAX_REPAIRS = 2;
const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** Asks until an answer matches the schema, a bounded number of times. Failures of the provider are returned; only a stop is thrown. */
export async function invoke<T>(invocation: Invocation<T>): Promise<InvocationResult<T>> {
  const { role, subject, attempt, schema, provider, model = null, clock, maxRepairs = MAX_REPAIRS, budget = {}, onWarning } = invocation;
  const signal = invocation.signal ?? new AbortController().signal;
  const tools = nativeToolsOf(role.tools);
  const first = invocation.folder == null ? buildPrompt(invocation) : folderPrompt(invocation, invocation.folder, tools);
  const input = workerInput(invocation);
  const tell = async (moment: Moment) => invocation.watch?.(moment);
  const onEvent = (event: AgentEvent) => {
    invocation.onEvent?.(event);
    if (event.kind !== "refused") void invocation.watch?.(event);
  };
  let usage = NO_USAGE;
  let prompt = first;
  let errors: readonly string[] = [];
  const sentBack: string[] = [];
  const end = async <R extends InvocationResult<T>>(result: R): Promise<R> => {
    await tell({ kind: "ended", ok: result.ok, usage, failure: result.ok ? null : result.failure });
    return sentBack.length === 0 ? result : { ...result, sentBack };
  };

  for (let repair = 0; ; repair++) {
    signal.throwIfAborted();
    const limit = exhausted(usage, budget);
    if (limit !== null) return end({ ok: false, failure: overBudget(role.name, subject, limit), usage });
    const workplace = invocation.workplace ?? null;
    const holdsSchema = provider.holdsSchema?.({ schema: prompt.schema, model, tools, workplace }) === true;
    const question = holdsSchema ? prompt.structured : prompt.text;
    const request = {
      role: role.name,
      tools,
      subject,
      attempt,
      repair,
      errors,
      system: prompt.system,
      prompt: question,
      promptDigest: prompt.digest,
      schema: prompt.schema,
      accepted: prompt.accepted,
      model,
      input,
      workplace,
      timeoutMs: invocation.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      onEvent,
      ...(invocation.hand === undefined ? {} : { hand: invocation.hand }),
    };
    if (provider.prepare !== undefined) {
      provider.prepare(request);
      // Lets the provider start and reach its first wait while the question is recorded.
      await turn();
    }
    await tell({ kind: "sent", repair, system: prompt.system, prompt: question, prompt_digest: prompt.digest });
    const started = clock.monotonic();
    const reply = await ask(provider, request, signal);
    const duration_ms = clock.monotonic() - started;
    usage = addCall(usage, duration_ms, "failure" in reply ? null : reply);
    if ("failure" in reply) {
      await tell({ kind: "failed", repair, failure: reply.failure, duration_ms });
      return end({ ok: false, failure: reply.failure, usage });
    }
    await tell({ kind: "answer", repair, text: reply.text, usage: reply.usage, model: reply.model, duration_ms });
    reply.warnings?.forEach((warning) => onWarning?.(warning));
    const parsed = parseOutput(reply.text, schema, invocation.answer);
    if (parsed.ok) return end({ ok: true, output: parsed.output, usage });
    await tell({ kind: "refused", repair, errors: [...parsed.errors] });
    if (repair >= maxRepairs) return end({ ok: false, failure: invalidOutput(role.name, subject, repair, parsed.errors), usage });
    errors = parsed.errors;
    sentBack.push(errors.join("; "));
    prompt = repairPrompt(first, reply.text, errors);
  }
}

/** The kind of the section that says why the last attempt failed. */
export const RESULTS = "results";
/** What the worker is told besides: a person's words, and the answer to its request. */
export const COMMENT = "comment";
export const REPLY = "reply";
const TOLD: ReadonlySet<string> = new Set([COMMENT, REPLY, RESULTS]);

function workerInput<T>({ role, subject, pack, instructions, provider, model = null, configRef = null }: Invocation<T>): WorkerInput {
  const shown = pack.sections.map(({ title, kind, text }) => ({ title, kind, text }));
  const told = shown.filter(({ kind }) => TOLD.has(kind)).map(({ kind, text }) => (kind === COMMENT ? `A person wrote:\n${text}` : text));
  return {
    role: role.name,
    feature_id: subject,
    context_bundle: shown.filter(({ kind }) => !TOLD.has(kind)),
    instructions,
    last_tool_results: told.length === 0 ? "none" : told.join("\n\n"),
    provider: provider.name,
    model,
    provider_config_ref: configRef,
  };
}

async function ask(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderReply | { readonly failure: Failure }> {
  try {
    const reply = await provider.invoke(request, signal);
    signal.throwIfAborted();
    return { ...reply, text: reply.text.toWellFormed() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SlipwayError) return { failure: toFailure(error) };
    throw error;
  }
}

function invalidOutput(role: string, subject: string, repairs: number, errors: readonly string[]): Failure {
  const message = `The ${role} for ${subject} gave no valid answer in ${repairs + 1} ${repairs === 0 ? "try" : "tries"}. Last: ${errors.join("; ")}`;
  const suggested_next_actions = ["Read the transcript; a stronger model or a clearer prompt may help."];
  return toFailure(new SlipwayError("agent_output_invalid", message, { role, subject, errors, repairs, suggested_next_actions }));
}

function overBudget(role: string, subject: string, limit: string): Failure {
  const suggested_next_actions = ["Raise the budget, or make the task smaller."];
  return toFailure(
    new SlipwayError("budget_exceeded", `The ${role} for ${subject} has no budget left: ${limit}.`, {
      role,
      subject,
      suggested_next_actions,
    }),
  );
}
