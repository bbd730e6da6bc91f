import type { Price } from "./table.ts";

/** Billed tokens; cache reads and writes are part of `input`. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

const MILLION = 1_000_000;

/** Of one or several requests, in US dollars; null for a model without a price. Each request has the rate of its own length. */
export function priceOf(price: Price | null, ...requests: readonly Tokens[]): number | null {
  return price === null ? null : requests.reduce((sum, request) => sum + millionths(price, request), 0) / MILLION;
}

function millionths(price: Price, { input, output, cacheRead = 0, cacheWrite = 0 }: Tokens): number {
  const { long } = price;
  const rate = long !== undefined && input > long.tokens ? long : price;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const { cached_input = rate.input, cache_write = rate.input } = rate;
  return plain * rate.input + cacheRead * cached_input + cacheWrite * cache_write + output * rate.output;
}

/** A lower bound for any language. */
const BYTES_PER_TOKEN = 2;

/** The assumed maximum output without a limit. */
export const MAX_OUTPUT_TOKENS = 32_000;

/** An agent with tools reads its whole context again on every turn. Most need fewer turns than this. */
const TURNS = 10;

export interface PricedRequest {
  readonly price: Price | null;
  readonly promptBytes: number;
  readonly maxOutputTokens?: number;
  /** It works on files, which takes many turns. */
  readonly works: "prompt" | "folder";
}

export interface WorstCase {
  /** Null when there is no price. */
  readonly cost_usd: number | null;
  readonly tokens: number;
}

/** The maximum usage of one call. For an agent that works on files it is an estimate, because the number of turns is unknown. */
export function worstCase({ price, promptBytes, maxOutputTokens = MAX_OUTPUT_TOKENS, works }: PricedRequest): WorstCase {
  const turns = works === "folder" ? TURNS : 1;
  const input = Math.ceil(promptBytes / BYTES_PER_TOKEN);
  const perTurn = { input, output: Math.ceil(maxOutputTokens / turns), cacheWrite: price?.cache_write === undefined ? 0 : input };
  const once = priceOf(price, perTurn);
  return { cost_usd: once === null ? null : once * turns, tokens: (perTurn.input + perTurn.output) * turns };
}
