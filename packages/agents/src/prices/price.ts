import type { Price } from "./table.ts";

/** Tokens as they are paid for; what was read from or written to a cache is part of `input`. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

const MILLION = 1_000_000;

/** In US dollars; null for a model without a price. */
export function priceOf(price: Price | null, { input, output, cacheRead = 0, cacheWrite = 0 }: Tokens): number | null {
  if (price === null) return null;
  const { long } = price;
  const rate = long !== undefined && input > long.tokens ? long : price;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const { cached_input = rate.input, cache_write = rate.input } = rate;
  return (plain * rate.input + cacheRead * cached_input + cacheWrite * cache_write + output * rate.output) / MILLION;
}

/** A token is hardly ever shorter than this, in any language. */
const BYTES_PER_TOKEN = 2;

/** How much a model says at most when nobody limits it. */
export const MAX_OUTPUT_TOKENS = 32_000;

/** An agent with tools reads what it has been told anew with every turn it takes. Most need fewer turns than this. */
const TURNS = 10;

export interface Asked {
  readonly price: Price | null;
  readonly promptBytes: number;
  readonly maxOutputTokens?: number;
  /** It works on files: it asks and is told many times. */
  readonly works: "prompt" | "folder";
}

export interface WorstCase {
  /** Null when there is no price. */
  readonly cost_usd: number | null;
  readonly tokens: number;
}

/** What one call may take. For an agent that works on files it is an estimate: nobody knows how often it will ask. */
export function worstCase({ price, promptBytes, maxOutputTokens = MAX_OUTPUT_TOKENS, works }: Asked): WorstCase {
  const turns = works === "folder" ? TURNS : 1;
  const input = Math.ceil(promptBytes / BYTES_PER_TOKEN);
  const perTurn = { input, output: Math.ceil(maxOutputTokens / turns), cacheWrite: price?.cache_write === undefined ? 0 : input };
  const once = priceOf(price, perTurn);
  return { cost_usd: once === null ? null : once * turns, tokens: (perTurn.input + perTurn.output) * turns };
}
