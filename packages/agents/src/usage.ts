import { z } from "zod";

/** The usage of one reply, as counted by the provider. */
export const replyUsageSchema = z.strictObject({
  input_tokens: z.int().min(0).default(0),
  output_tokens: z.int().min(0).default(0),
  /** Parts of input_tokens with their own price: cache reads and cache writes. */
  cached_input_tokens: z.int().min(0).optional(),
  cache_write_tokens: z.int().min(0).optional(),
  cost_usd: z.number().min(0).default(0),
  /** If left out, the time is measured from outside. */
  duration_ms: z.number().min(0).optional(),
});

export type ReplyUsage = z.output<typeof replyUsageSchema>;

export const NOTHING_USED: ReplyUsage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** Includes cached tokens, if there are any. */
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

/** The part of a sum that has not been reported yet. */
export function usageBeyond(sum: ReplyUsage, reported: ReplyUsage): ReplyUsage {
  return combined(sum, reported, (left, right) => Math.max(0, left - right));
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

/** The sum over all calls of one invocation, repairs included. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
  readonly calls: number;
  /** The model of the last answer, if the provider reports it. */
  readonly model: string | null;
}

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 0, calls: 0, model: null };

/** A call without a reply still took time. */
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

/** Limits of one invocation; omitted ones are unlimited. */
export interface CallBudget {
  readonly max_calls?: number;
  readonly max_tokens?: number;
  readonly max_cost_usd?: number;
}

/** The limit that leaves no room for another call, or null. */
export function exhausted(usage: Usage, { max_calls, max_tokens, max_cost_usd }: CallBudget): string | null {
  if (max_calls !== undefined && usage.calls >= max_calls) return `${usage.calls} of ${max_calls} calls are used`;
  const tokens = usage.input_tokens + usage.output_tokens;
  if (max_tokens !== undefined && tokens >= max_tokens) return `${tokens} of ${max_tokens} tokens are used`;
  if (max_cost_usd !== undefined && usage.cost_usd >= max_cost_usd) return `$${usage.cost_usd} of $${max_cost_usd} is spent`;
  return null;
}
