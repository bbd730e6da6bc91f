import { z } from "zod";

/** What one reply cost, as the provider counts it. */
export const replyUsageSchema = z.strictObject({
  input_tokens: z.int().min(0).default(0),
  output_tokens: z.int().min(0).default(0),
  /** Parts of input_tokens that have a price of their own: read from a cache, and written to one. */
  cached_input_tokens: z.int().min(0).optional(),
  cache_write_tokens: z.int().min(0).optional(),
  cost_usd: z.number().min(0).default(0),
  /** Left out, the time is measured from outside. */
  duration_ms: z.number().min(0).optional(),
});

export type ReplyUsage = z.output<typeof replyUsageSchema>;

export const NOTHING_USED: ReplyUsage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** With what went through a cache, where anything did. */
export function usageOf(used: Required<Omit<ReplyUsage, "duration_ms">>): ReplyUsage {
  const { cached_input_tokens, cache_write_tokens, ...rest } = used;
  return {
    ...rest,
    ...(cached_input_tokens === 0 ? {} : { cached_input_tokens }),
    ...(cache_write_tokens === 0 ? {} : { cache_write_tokens }),
  };
}

export function addUsage(one: ReplyUsage, other: ReplyUsage): ReplyUsage {
  return combined(one, other, (left, right) => left + right);
}

/** What is new in a sum when a part of it has been told already. */
export function usageBeyond(sum: ReplyUsage, told: ReplyUsage): ReplyUsage {
  return combined(sum, told, (left, right) => Math.max(0, left - right));
}

function combined(one: ReplyUsage, other: ReplyUsage, of: (left: number, right: number) => number): ReplyUsage {
  return usageOf({
    input_tokens: of(one.input_tokens, other.input_tokens),
    output_tokens: of(one.output_tokens, other.output_tokens),
    cached_input_tokens: of(one.cached_input_tokens ?? 0, other.cached_input_tokens ?? 0),
    cache_write_tokens: of(one.cache_write_tokens ?? 0, other.cache_write_tokens ?? 0),
    cost_usd: of(one.cost_usd, other.cost_usd),
  });
}

/** The sum over every call of one invocation, repairs included. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
  readonly calls: number;
  /** The model that answered last, where the provider says so. */
  readonly model: string | null;
}

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 0, calls: 0, model: null };

/** A call without a reply still took its time. */
export function addCall(
  usage: Usage,
  elapsedMs: number,
  reply: { readonly usage: ReplyUsage; readonly model: string | null } | null,
): Usage {
  return {
    input_tokens: usage.input_tokens + (reply?.usage.input_tokens ?? 0),
    output_tokens: usage.output_tokens + (reply?.usage.output_tokens ?? 0),
    cost_usd: usage.cost_usd + (reply?.usage.cost_usd ?? 0),
    duration_ms: usage.duration_ms + (reply?.usage.duration_ms ?? elapsedMs),
    calls: usage.calls + 1,
    model: reply?.model ?? usage.model,
  };
}

/** Limits of one invocation; what is left out is not limited. */
export interface Budget {
  readonly max_calls?: number;
  readonly max_tokens?: number;
  readonly max_cost_usd?: number;
}

/** Says which limit leaves no room for another call, or null. */
export function exhausted(usage: Usage, { max_calls, max_tokens, max_cost_usd }: Budget): string | null {
  if (max_calls !== undefined && usage.calls >= max_calls) return `${usage.calls} of ${max_calls} calls are used`;
  const tokens = usage.input_tokens + usage.output_tokens;
  if (max_tokens !== undefined && tokens >= max_tokens) return `${tokens} of ${max_tokens} tokens are used`;
  if (max_cost_usd !== undefined && usage.cost_usd >= max_cost_usd) return `$${usage.cost_usd} of $${max_cost_usd} is spent`;
  return null;
}
