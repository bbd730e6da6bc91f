import type { PricesConfig } from "@slipway/kernel/config/agent-parts/prices";

export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number | undefined;
  readonly cache_write?: number | undefined;
  /** A longer input raises the price of the whole request. */
  readonly long?: { readonly tokens: number } & Omit<Price, "long">;
}

/** Public list prices in US dollars per million tokens. Of temporary prices, the higher one is listed. */
export const PRICES_AS_OF = "2026-11-10";

const claude = (input: number, output: number, cached_input: number): Price => ({
  input,
  output,
  cached_input,
  // Cached for an hour; five minutes cost less.
  cache_write: 2 * input,
});
const openai = (input: number, output: number, cached_input: number): Price => ({ input, output, cached_input });
const gemini = openai;

export const PRICES: Readonly<Record<string, Price>> = {
  "claude-fable-5-1": claude(10, 50, 0.25),
  "claude-fable-5": claude(10, 50, 1),
  "claude-opus-5-5": claude(4, 20, 0.2),
  "claude-opus-5": claude(5, 25, 0.5),
  "claude-opus-4-8": claude(5, 25, 0.5),
  "claude-opus-4-7": claude(5, 25, 0.5),
  "claude-opus-4-6": claude(5, 25, 0.5),
  "claude-opus-4-5": claude(5, 25, 0.5),
  "claude-opus-4-1": claude(15, 75, 1.5),
  "claude-sonnet-5-5": claude(2, 10, 0.2),
  "claude-sonnet-5": claude(2, 10, 0.2),
  "claude-sonnet-4-6": claude(3, 15, 0.3),
  "claude-sonnet-4-5": { ...claude(3, 15, 0.3), long: { tokens: 200_000, ...claude(6, 22.5, 0.6) } },
  "claude-haiku-5-5": { ...claude(0.1, 0.5, 0.01), long: { tokens: 100_000, ...claude(0.5, 2.5, 0.05) } },
  "claude-haiku-4-5": claude(1, 5, 0.1),
  // Claude Code's names without a version can mean any current model.
  opus: claude(5, 25, 0.5),
  sonnet: claude(3, 15, 0.3),
  haiku: claude(1, 5, 0.1),
  "gpt-6.1-sol": { ...openai(2, 10, 0.1), long: { tokens: 272_000, ...openai(4, 15, 0.2) } },
  "gpt-6-sol": { ...openai(2, 10, 0.2), long: { tokens: 272_000, ...openai(4, 15, 0.4) } },
  "gpt-6-luna": { ...openai(0.1, 0.5, 0.01), long: { tokens: 272_000, ...openai(0.2, 0.75, 0.02) } },
  "gpt-5.5": openai(5, 30, 0.5),
  "gpt-5.4": openai(2.5, 15, 0.25),
  "gpt-5.4-mini": openai(0.75, 4.5, 0.075),
  "gpt-5.4-nano": openai(0.2, 1.25, 0.02),
  "gpt-5.3-codex": openai(1.75, 14, 0.175),
  "gpt-5.2": openai(1.75, 14, 0.175),
  "gpt-5.2-codex": openai(1.75, 14, 0.175),
  "gpt-5.1": openai(1.25, 10, 0.125),
  "gpt-5": openai(1.25, 10, 0.125),
  "gpt-5-mini": openai(0.25, 2, 0.025),
  "gpt-5-nano": openai(0.05, 0.4, 0.005),
  "gpt-4.1": openai(2, 8, 0.5),
  "gemini-3.8-flash": gemini(1.5, 7.5, 0.15),
  "gemini-3.5-flash": gemini(1.5, 9, 0.15),
  "gemini-3.1-pro": { ...gemini(2, 12, 0.2), long: { tokens: 200_000, ...gemini(4, 18, 0.4) } },
  "gemini-3.1-flash-lite": gemini(0.25, 1.5, 0.025),
  "gemini-3-flash": gemini(0.5, 3, 0.05),
  "gemini-2.5-pro": { ...gemini(1.25, 10, 0.125), long: { tokens: 200_000, ...gemini(2.5, 15, 0.25) } },
  "gemini-2.5-flash": gemini(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite": gemini(0.1, 0.4, 0.01),
};

/**
 * The price of a model by name, with or without the endpoint before it and the date after it; without a model, the price agents.yaml sets
 * for the provider. Null if unknown: a similar name is not a match.
 */
export function priceFor(provider: string, model: string | null, own: PricesConfig = {}): Price | null {
  const named = model ?? provider;
  const bare = named.slice(named.lastIndexOf("/") + 1);
  const names = [named, bare, bare.replace(DATED, "")];
  const tables: readonly Readonly<Record<string, Price>>[] = model === null ? [own] : [own, PRICES];
  const found = tables.flatMap((table) => names.filter((name) => Object.hasOwn(table, name)).map((name) => table[name]));
  return found[0] ?? null;
}

const DATED = /(?:-preview)?(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview))?$/;
