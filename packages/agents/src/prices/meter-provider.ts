import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";
import type { Budget } from "@slipway/kernel/budget/budget";
import type { Reservation, ReserveInput } from "@slipway/kernel/budget/reserve";
import type { BudgetLimits } from "@slipway/kernel/config/agent-parts/budgets";
import type { PricesConfig } from "@slipway/kernel/config/agent-parts/prices";
import type { Actor } from "@slipway/kernel/record/operations/operation";
import type { AgentEvent, Provider, ProviderReply, ProviderRequest, Refusal } from "../provider.ts";
import { addUsage, NOTHING_USED, usageBeyond, type ReplyUsage } from "../usage.ts";
import { priceOf, worstCase, type Tokens, type WorstCase } from "./price.ts";
import { priceFor } from "./table.ts";

export interface Meter {
  readonly budget: Budget;
  readonly actor: Actor;
  /** Names the invocation across restarts and pauses. */
  readonly invocation: string;
  /** The part of the run that pays. */
  readonly runId: string;
  /** The role that pays; by default the request's, by its name. */
  readonly role?: Pick<ReserveInput, "role" | "role_keys">;
  readonly clock: Clock;
  readonly prices?: PricesConfig | undefined;
  /** Limits of one call in agents.yaml. */
  readonly call?: BudgetLimits | undefined;
  /**
   * For a caller that waits for the commit itself before it uses the answer; without it the answer is returned after the commit is on disk.
   */
  readonly onDisk?: (going: Promise<void>) => void;
}

type Settled = "settled" | "failed" | "released";

/** Wraps a provider: reserves the worst case before each call and settles the actual cost after it. No answer is paid for twice. */
export function metered(provider: Provider, meter: Meter): Provider {
  const { budget, actor, invocation, runId: run_id, clock, prices, call = {}, onDisk } = meter;
  const { name, works } = provider;
  const begun = new WeakMap<ProviderRequest, ReturnType<typeof hold>>();

  /** The answer already paid for, or a reservation for a new call. */
  async function hold(request: ProviderRequest): Promise<{ readonly paid: ProviderReply } | Reservation> {
    const { repair, promptDigest: prompt_digest, model, subject: feature_id } = request;
    const asked = { invocation, repair, prompt_digest };
    const paid = (await budget.keptReply(asked)) as ProviderReply | null;
    if (paid !== null && (await isWhole(paid, request))) return { paid };
    const worst = worstOf(provider, request, prices, call);
    const wanted = Math.min(request.timeoutMs, (call.max_minutes ?? Infinity) * 60_000);
    const payer = { run_id, feature_id, role: request.role, ...meter.role };
    return budget.reserve(actor, { ...asked, ...payer, provider: name, model, ...worst, duration_ms: wanted });
  }

  return {
    name,
    works,
    holdsSchema: (request) => provider.holdsSchema?.(request) === true,
    prepare(request) {
      const pending = hold(request);
      // The error is returned to the caller of `invoke`.
      pending.catch(() => undefined);
      begun.set(request, pending);
    },
    async invoke(request, signal) {
      const { model } = request;
      const pending = await (begun.get(request) ?? hold(request));
      if ("paid" in pending) {
        pending.paid.refusals?.forEach((refusal) => request.onEvent?.({ kind: "refused", ...refusal }));
        return pending.paid;
      }
      const { id, duration_ms: timeoutMs, most } = pending;
      const started = clock.monotonic();
      const heard = listener(request.onEvent);
      const settle = async (status: Settled, usage: ReplyUsage, answered: string | null, reply_digest: string | null): Promise<void> => {
        const settled = await budget.settle(actor, {
          reservation: id,
          status,
          model: answered,
          input_tokens: usage.input_tokens,
          output_tokens: usage.output_tokens,
          cost_usd: usage.cost_usd,
          duration_ms: usage.duration_ms ?? clock.monotonic() - started,
          reply_digest,
        });
        if (onDisk === undefined) await settled.onDisk;
        else onDisk(settled.onDisk);
      };
      const reply = await provider
        .invoke({ ...request, timeoutMs, ...limitsOf(call, most), onEvent: heard.onEvent }, signal)
        .catch(async (error: unknown) => {
          const usage = priced(name, heard.model() ?? model, heard.usage(), heard.requests(), prices);
          // The call's own error matters more than a failure to settle.
          await settle(isFree(error, usage) ? "released" : "failed", usage, null, null).catch(() => undefined);
          throw error;
        });
      const changes = await request.workplace?.changes?.();
      const { requests = heard.requests(), ...answer } = reply;
      const usage = priced(name, reply.model ?? model, reply.usage, requests, prices);
      const refusals = heard.refusals();
      const whole = { ...answer, usage, ...(changes === undefined ? {} : { changes }), ...(refusals.length === 0 ? {} : { refusals }) };
      await settle("settled", whole.usage, reply.model, await budget.keepReply(whole));
      return whole;
    },
  };
}

/** A provider that works on files leaves part of its answer in the folder, which must be restored. */
async function isWhole({ changes }: ProviderReply, { workplace }: ProviderRequest): Promise<boolean> {
  if (workplace === null) return true;
  if (changes === undefined || workplace.restore === undefined) return false;
  await workplace.restore(changes);
  return true;
}

/** Replayed and manual answers are free. */
const FREE_PROVIDERS: ReadonlySet<string> = new Set(["replay", "manual"]);

function worstOf(provider: Provider, request: ProviderRequest, prices: PricesConfig | undefined, call: BudgetLimits): WorstCase {
  const { system, prompt, model } = request;
  const promptBytes = Buffer.byteLength(system) + Buffer.byteLength(prompt);
  const price = FREE_PROVIDERS.has(provider.name) ? { input: 0, output: 0 } : priceFor(provider.name, model, prices);
  const estimate = worstCase({ price, promptBytes, works: provider.works });
  return {
    // A limit set by a person needs no price.
    cost_usd: FREE_PROVIDERS.has(provider.name) ? 0 : (call.max_cost_usd ?? estimate.cost_usd),
    tokens: call.max_tokens ?? estimate.tokens,
  };
}

/** The limit of the call: set by a person, or what is left of the budget. Without a budget there is none. */
function limitsOf(call: BudgetLimits, most: Reservation["most"]): Pick<ProviderRequest, "reserved"> {
  const [cost_usd, tokens] = [call.max_cost_usd ?? most.cost_usd, call.max_tokens ?? most.tokens];
  return cost_usd === null && tokens === null ? {} : { reserved: { cost_usd, tokens: tokens ?? Number.MAX_SAFE_INTEGER } };
}

/** A cost reported by the provider takes precedence over the price table, whose prices are those of single requests. */
function priced(
  provider: string,
  model: string | null,
  usage: ReplyUsage,
  requests: readonly ReplyUsage[],
  prices: PricesConfig | undefined,
): ReplyUsage {
  if (usage.cost_usd > 0) return usage;
  const parts = [...requests, usageBeyond(usage, requests.reduce(addUsage, NOTHING_USED))];
  return { ...usage, cost_usd: priceOf(priceFor(provider, model, prices), ...parts.map(tokensOf)) ?? 0 };
}

function tokensOf({ input_tokens: input, output_tokens: output, cached_input_tokens, cache_write_tokens }: ReplyUsage): Tokens {
  return { input, output, cacheRead: cached_input_tokens ?? 0, cacheWrite: cache_write_tokens ?? 0 };
}

/** Rejected before a model read anything. */
const TURNED_AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "rate_limited",
  "quota_exhausted",
  "provider_auth_missing",
  "provider_unavailable",
  "agent_not_installed",
  "context_overflow",
  "answer_pending",
]);

function isFree(error: unknown, { input_tokens, output_tokens }: ReplyUsage): boolean {
  return error instanceof SlipwayError && TURNED_AWAY.has(error.code) && input_tokens + output_tokens === 0;
}

/** Keeps usage events, the only usage known of a call that did not finish, and refusals, which are events too. */
function listener(onEvent: ProviderRequest["onEvent"]) {
  const requests: ReplyUsage[] = [];
  let model: string | null = null;
  const refusals: Refusal[] = [];
  return {
    usage: () => requests.reduce(addUsage, NOTHING_USED),
    requests: (): readonly ReplyUsage[] => requests,
    refusals: () => refusals,
    /** The model of the usage, if the provider reports it. */
    model: () => model,
    onEvent(event: AgentEvent) {
      onEvent?.(event);
      if (event.kind === "refused") refusals.push({ tool: event.tool, path: event.path, reason: event.reason });
      if (event.kind !== "usage") return;
      requests.push(event.usage);
      model = event.model ?? model;
    },
  };
}
