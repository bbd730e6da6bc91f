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
import { concealed, concealing } from "./redact-answers.ts";
import { roleKeys, roleName } from "./role-keys.ts";
import { withWorkplace, type FolderWork } from "./work-folder.ts";

export interface AgentRequest<T> {
  readonly role: string;
  readonly subject: string;
  /** The part of the run that pays for it. */
  readonly runId: string;
  readonly attempt: string;
  /** Names the invocation however often it is paused; without it, the call's own id. What was answered under it is not paid for again. */
  readonly invocation?: string;
  /** How many tiers above its own the role is to be played. */
  readonly escalations?: number;
  readonly pack: Pack;
  readonly instructions: string;
  readonly schema: z.ZodType<T>;
  readonly call: Call;
  /** What was said since the same invocation was last left with `answer_pending`. */
  readonly said?: HandAnswer | null;
  /** For a provider that works on files; without it such a provider gets no folder. */
  readonly folder?: () => Promise<FolderWork<T>>;
}

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Where protocols hand out work. It knows who plays which role; protocols do not. */
export interface AgentDispatcher {
  invoke<T>(request: AgentRequest<T>, signal?: AbortSignal): Promise<Reply<T>>;
}

/** Somebody who plays a role. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly model: string | null;
  readonly configRef?: string | null;
  /** Who plays instead when this one cannot be had. */
  readonly fallbacks?: readonly ChosenProvider[];
}

export interface DispatcherOptions {
  readonly kernel: Kernel;
  /** Of the run that is being carried out: roles of different protocols may share a name. */
  readonly protocol: () => string;
  readonly role: (name: string) => Promise<Role>;
  readonly provider: (role: string, asked: { readonly tier: Tier; readonly escalated: boolean }) => Promise<ChosenProvider>;
  readonly onWarning: (warning: string) => void;
  /** Where invocations are written down; transcripts only, unless more is said. */
  readonly book?: InvocationBook;
}

/** What an invocation came to, who answered, and the transcript that shows how. */
type Written<T> = InvocationResult<T> & { readonly transcript: string | null; readonly player: ChosenProvider };

const invocationInput = z.strictObject({ role: z.string(), subject: z.string(), attempt: z.string(), pack: z.string() });

/** Not the end of the invocation, only of this call: the protocol makes another one, under another id, when the pause is over. */
const PAUSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["rate_limited", "quota_exhausted", "budget_exceeded", "answer_pending"]);

/** An invocation is an operation like any other: once it has ended, it is never paid for again. */
export function openDispatcher(options: DispatcherOptions): AgentDispatcher {
  const { kernel, protocol, role, provider, onWarning } = options;
  const { layout, objects } = kernel.records;
  const book = options.book ?? openBook({ layout, objects, clock: kernel.clock, onWarning });
  const paid: Promise<void>[] = [];
  return {
    async invoke<T>(request: AgentRequest<T>, signal?: AbortSignal): Promise<Reply<T>> {
      const { role: name, subject, runId: run_id, attempt, pack, call, invocation: id = call.operationId, escalations = 0 } = request;
      const named = { protocol: protocol(), role: name };
      const payer = { role: roleName(named), role_keys: [...roleKeys(named)] };
      const stage: Stage = { kernel, book, onWarning, paid, payer };
      const operation: Operation<z.infer<typeof invocationInput>, Written<T>, Reply<T>> = {
        name: "agent.invoke",
        roles: ["orchestrator", "system"],
        input: invocationInput,
        effect: async () => {
          const played = await role(name);
          const tier = raisedTier(played.tier, escalations);
          const chosen = await provider(name, { tier, escalated: tier !== played.tier });
          const players = [chosen, ...(chosen.fallbacks ?? [])];
          return firstAvailable(players, (player) => play(stage, request, played, player, signal), onWarning);
        },
        commit: async (tx, _input, { player, transcript: transcript_digest, ...result }, { at }) => {
          const model = result.usage.model ?? player.model;
          const who = { role: payer.role, provider: player.provider.name, model };
          if (pauseIn(result) === null) await noteTranscript(tx, { id, run_id, feature_id: subject, ...who, at, transcript_digest });
          return result.ok ? { ok: true, value: result.output } : { ok: false, failure: result.failure };
        },
        event: ({ role: who, subject: about, attempt: which }) => ({ role: who, subject: about, attempt: which }),
      };
      // What it costs is held back before anybody is asked, and the answer kept, in durable writes of their own.
      return kernel.door.relaxed.perform(operation, call.actor, call.operationId, { role: name, subject, attempt, pack: pack.digest });
    },
  };
}

interface Stage extends Pick<DispatcherOptions, "kernel" | "onWarning"> {
  readonly book: InvocationBook;
  /** Answers that were paid for, on their way to the disk. */
  readonly paid: Promise<void>[];
  readonly payer: NonNullable<Meter["role"]>;
}

/** One player's try: a place to work in, what it costs held back and settled, and what was said written down. */
async function play<T>(
  stage: Stage,
  request: AgentRequest<T>,
  role: Role,
  player: ChosenProvider,
  signal?: AbortSignal,
): Promise<Written<T>> {
  const { kernel, book, onWarning, payer } = stage;
  const { subject, runId, attempt, pack, instructions, call, said = null, invocation = call.operationId } = request;
  const { budget, clock, configuration } = kernel;
  const { prices, budgets } = configuration.agents?.runtime ?? {};
  const { model, configRef = null } = player;
  // What was paid for is on the disk before anybody else is.
  await Promise.all(stage.paid.splice(0));
  const onDisk = (paid: Promise<void>) => void stage.paid.push(paid);
  const meter = { budget, actor: call.actor, invocation, runId, role: payer, clock, prices, call: budgets?.call, onDisk };
  const facts = { run: runId, step: stepOf(runId, call.operationId), role: role.name, subject, attempt };
  const page = await book.begin({ ...facts, provider: player.provider.name, model });
  const onSecret = () =>
    onWarning(`the answer of the ${role.name} for ${subject} held a secret of this machine; [redacted] stands in its place`);
  const told = { onWarning, watch: page.watch };
  const asked = { role, subject, attempt, pack, instructions, model, configRef, clock, onWarning, watch: page.watch };
  try {
    const answered = await withWorkplace(
      kernel,
      request,
      player.provider,
      (place) => {
        const provider = metered(concealing(player.provider, kernel, onSecret), meter);
        return invoke({ ...asked, ...place, provider, hand: { key: invocation, said }, ...(signal === undefined ? {} : { signal }) });
      },
      told,
    );
    const result = concealed(kernel, answered, onSecret);
    const pause = pauseIn(result);
    if (pause !== null) {
      page.leave(`${pause.code}: ${pause.message}`);
      const details = { provider: player.provider.name, ...pause.details };
      return { ok: false, failure: { ...pause, details }, usage: result.usage, player, transcript: null };
    }
    // Trouble on the way that may pass: thrown, so that it is not recorded as the outcome.
    if (!result.ok && result.failure.details["retryable"] === true) throw fromFailure(result.failure);
    return { ...result, player, transcript: await page.keep() };
  } catch (error) {
    page.leave(error instanceof SlipwayError ? `${error.code}: ${error.message}` : String(error));
    throw error;
  }
}

function pauseIn(result: InvocationResult<unknown>): Failure | null {
  if (result.ok || !PAUSES.has(result.failure.code)) return null;
  // A client that has stopped at what was left for it has had its say.
  return result.failure.code === "budget_exceeded" && result.failure.details["dimension"] === undefined ? null : result.failure;
}

/** Whoever cannot be had is replaced by the next one, and that is said; the last one's failure is the outcome. */
async function firstAvailable<T>(
  players: readonly ChosenProvider[],
  work: (player: ChosenProvider) => Promise<Written<T>>,
  onWarning: (warning: string) => void,
): Promise<Written<T>> {
  const [first, ...others] = players;
  if (first === undefined) throw new TypeError("Nobody plays the role.");
  const result = await work(first);
  const [next] = others;
  if (result.ok || next === undefined || !isUnavailable(result.failure.code)) return result;
  onWarning(`${first.provider.name} cannot be had (${result.failure.message}); ${next.provider.name} plays instead`);
  return firstAvailable(others, work, onWarning);
}

/** Operations of a run are named `<run>/<step>`. */
function stepOf(runId: string, operationId: string): string {
  return operationId.startsWith(`${runId}/`) ? operationId.slice(runId.length + 1) : operationId;
}
