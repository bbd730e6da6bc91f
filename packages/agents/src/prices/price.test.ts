import { describe, expect, test } from "vitest";
import { priceOf, worstCase } from "./price.ts";
import { priceFor, PRICES, PRICES_AS_OF } from "./table.ts";

const MILLION = 1_000_000;
const SONNET = priceFor("api", "claude-sonnet-4-5");

describe("the table", () => {
  test("has its date, and a positive price for every model, with output dearer than input and cache cheaper", () => {
    expect(Date.parse(PRICES_AS_OF)).toBeGreaterThan(Date.parse("2026-01-01"));
    for (const [model, { input, output, cached_input = 0, long }] of Object.entries(PRICES)) {
      expect([model, input > 0, output > input, cached_input < input]).toEqual([model, true, true, true]);
      if (long !== undefined) expect([model, long.input > input, long.tokens > 0]).toEqual([model, true, true]);
    }
  });

  test.each([
    ["anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["openrouter/anthropic/claude-opus-5-5", "claude-opus-5-5"],
    ["gemini-3.1-pro-preview", "gemini-3.1-pro"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["claude-opus-4-1@20250805", "claude-opus-4-1"],
    ["claude-haiku-4-5-latest", "claude-haiku-4-5"],
  ])("%s is %s", (name, model) => {
    expect(priceFor("api", name)).toBe(PRICES[model]);
  });

  test.each(["homemade", "gpt-5-turbo-max", "claude-opus-99", "local/qwen3", "constructor"])("%s has no price", (model) => {
    expect(priceFor("api", model)).toBeNull();
  });

  test("a configured price comes first, by full name, bare name or, without a model, by provider", () => {
    const own = { "local/qwen3": { input: 0, output: 0 }, "gpt-5": { input: 9, output: 9 }, custom: { input: 1, output: 2 } };
    expect(priceFor("api", "local/qwen3", own)).toBe(own["local/qwen3"]);
    expect(priceFor("api", "openai/gpt-5-2025-08-07", own)).toBe(own["gpt-5"]);
    expect(priceFor("custom", null, own)).toBe(own.custom);
    expect(priceFor("codex", null, own)).toBeNull();
  });
});

describe("the price of a call", () => {
  test("input and output; cached tokens cost the cache price", () => {
    expect(priceOf(SONNET, { input: 100_000, output: 10_000 })).toBeCloseTo(0.3 + 0.15);
    expect(priceOf(SONNET, { input: 100_000, output: 0, cacheRead: 60_000, cacheWrite: 30_000 })).toBeCloseTo(0.03 + 0.018 + 0.18);
    const bare = { input: 3, output: 15 };
    expect(priceOf(bare, { input: MILLION, output: 0, cacheRead: MILLION })).toBe(3);
  });

  test("a long prompt costs more as a whole, from one token over the limit", () => {
    expect(priceOf(SONNET, { input: 200_000, output: 0 })).toBeCloseTo(0.6);
    expect(priceOf(SONNET, { input: 200_001, output: 0 })).toBeCloseTo(1.2);
  });

  test("a model without a price has none", () => {
    expect(priceOf(null, { input: 1, output: 1 })).toBeNull();
  });
});

describe("the maximum", () => {
  const price = { input: 2, output: 10 };

  test("covers any prompt of that length and the longest answer", () => {
    const { cost_usd, tokens } = worstCase({ price, promptBytes: 4000, maxOutputTokens: 1000, works: "prompt" });
    expect(tokens).toBe(3000);
    expect(cost_usd).toBeCloseTo((2000 * 2 + 1000 * 10) / MILLION);
    expect(worstCase({ price, promptBytes: 0, works: "prompt" }).tokens).toBe(32_000);
  });

  test("an agent that works on files reads its prompt again with every turn", () => {
    const { cost_usd, tokens } = worstCase({ price, promptBytes: 4000, maxOutputTokens: 1000, works: "folder" });
    expect(tokens).toBe(10 * 2000 + 1000);
    expect(cost_usd).toBeCloseTo((10 * 2000 * 2 + 1000 * 10) / MILLION);
  });

  test("includes writing the cache; without a price there is none", () => {
    const cached = worstCase({ price: { ...price, cache_write: 4 }, promptBytes: 2_000_000, maxOutputTokens: 0, works: "prompt" });
    expect(cached.cost_usd).toBeCloseTo(4);
    expect(worstCase({ price: null, promptBytes: 10, works: "prompt" }).cost_usd).toBeNull();
  });
});
