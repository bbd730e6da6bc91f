import { SlipwayError } from "../errors.ts";
import { openBudgetBench, SYSTEM, type BudgetBench } from "@slipway/kernel/budget/testing/budget-bench";
import { afterEach, describe, expect, test } from "vitest";
import type { PackChanges } from "../packs/changes.ts";
import type { Provider, ProviderRequest } from "../provider.ts";
import { NEVER, REQUEST, scripted, tickingClock, type Scripted } from "../testing/samples.ts";
import { metered, type Meter } from "./meter-provider.ts";

let bench: BudgetBench;
afterEach(() => bench.close());

interface Setting {
  readonly budgets?: Parameters<typeof openBudgetBench>[0];
  readonly meter?: Partial<Meter>;
  readonly name?: string;
}

async function open(answers: readonly Scripted[], { budgets, meter, name = "scripted" }: Setting = {}) {
  bench = await openBudgetBench(budgets);
  const real = { ...scripted(...answers), name };
  const base = { budget: bench.process("a"), actor: SYSTEM, invocation: "run1/builder:1", runId: "run1", clock: tickingClock() };
  return { real, provider: metered(real, { ...base, ...meter }) };
}

const request = (changes: Partial<ProviderRequest> = {}): ProviderRequest => ({ ...REQUEST, model: "claude-opus-4-5", ...changes });
const rows = () => bench.db.selectFrom("reservations").selectAll().orderBy("at").orderBy("id").execute();
const telemetry = () => bench.db.selectFrom("telemetry").selectAll().execute();

describe("a call", () => {
  test("is reserved at its maximum before, settled at its usage after, and the answer has its cost", async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10_000, cost_usd: 0 };
    const { real, provider } = await open([{ text: "yes", model: "claude-opus-4-5", usage }], { budgets: { run: { max_cost_usd: 5 } } });
    const reply = await provider.invoke(request(), NEVER);
    expect(reply).toMatchObject({ text: "yes", usage: { ...usage, cost_usd: 0.75 } });
    const worst = JSON.parse((await rows())[0]!.worst) as { cost_usd: number; tokens: number };
    expect(worst.cost_usd).toBeGreaterThan(0.8);
    // It may use the rest of the budget, not only the estimate.
    expect(real.asked[0]?.reserved).toEqual({ cost_usd: 5, tokens: Number.MAX_SAFE_INTEGER });
    expect(await rows()).toMatchObject([{ status: "settled", cost_usd: 0.75, tokens: 110_000, calls: 1 }]);
    expect(await telemetry()).toMatchObject([{ id: "run1/builder:1", calls: 1, cost_usd: 0.75, provider: "scripted" }]);
  });

  test("a prepared call is reserved once, and refused when it is made; its usage is synced while the answer is processed", async () => {
    const going: Promise<void>[] = [];
    const meter = { onDisk: (paid: Promise<void>) => void going.push(paid) };
    const { real, provider } = await open(["yes", "no"], { budgets: { run: { max_calls: 1 } }, meter });
    const asked = request();
    provider.prepare?.(asked);
    expect(await provider.invoke(asked, NEVER)).toMatchObject({ text: "yes" });
    expect(await rows()).toMatchObject([{ status: "settled" }]);
    expect(going).toHaveLength(1);
    await Promise.all(going);
    const another = request({ repair: 1 });
    provider.prepare?.(another);
    await expect(provider.invoke(another, NEVER)).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(real.asked).toHaveLength(1);
  });

  test("cache reads and writes have their own prices", async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10_000, cached_input_tokens: 60_000, cache_write_tokens: 20_000, cost_usd: 0 };
    const { provider } = await open([{ text: "yes", model: "claude-opus-4-5", usage }]);
    // 20 000 at $5, 60 000 at $0.50, 20 000 at $10 and 10 000 at $25 for a million.
    expect((await provider.invoke(request(), NEVER)).usage.cost_usd).toBeCloseTo(0.1 + 0.03 + 0.2 + 0.25, 10);
  });

  test("the price of a long prompt counts for a long request, not for a long session of short ones", async () => {
    const request_usage = { input_tokens: 10_000, output_tokens: 100, cost_usd: 0 };
    const requests = Array.from({ length: 41 }, () => request_usage);
    const usage = { input_tokens: 410_000, output_tokens: 4_100, cost_usd: 0 };
    const { provider } = await open([{ text: "yes", model: "gpt-6-sol", usage, requests }]);
    const reply = await provider.invoke(request(), NEVER);
    // 410,000 at $2 and 4,100 at $10 for a million; as one request it would be $1.70.
    expect(reply.usage.cost_usd).toBeCloseTo(0.861, 10);
    expect(reply).not.toHaveProperty("requests");
  });

  test("what no request explains is priced as one", async () => {
    const usage = { input_tokens: 300_000, output_tokens: 0, cost_usd: 0 };
    const requests = [{ input_tokens: 10_000, output_tokens: 0, cost_usd: 0 }];
    const { provider } = await open([{ text: "yes", model: "gpt-6-sol", usage, requests }]);
    expect((await provider.invoke(request(), NEVER)).usage.cost_usd).toBeCloseTo(0.01 * 2 + 0.29 * 4, 10);
  });

  test("a cost reported by the provider is used; without a budget there is no limit", async () => {
    const { real, provider } = await open([{ text: "yes" }]);
    expect((await provider.invoke(request(), NEVER)).usage.cost_usd).toBe(0.5);
    expect(real.asked[0]?.reserved).toBeUndefined();
  });

  test("is not made if a budget might not suffice", async () => {
    const { real, provider } = await open(["yes"], { budgets: { run: { max_cost_usd: 0.1 } } });
    await expect(provider.invoke(request(), NEVER)).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { scope: "run", limit: 0.1 },
    });
    expect(real.asked).toEqual([]);
  });

  test("the limit of one call in agents.yaml is reserved, with or without a price", async () => {
    const call = { max_cost_usd: 0.4, max_tokens: 5000, max_minutes: 0.5 };
    const { real, provider } = await open(["yes"], { budgets: { run: { max_cost_usd: 1 } }, meter: { call } });
    await provider.invoke(request({ model: "homemade" }), NEVER);
    expect(real.asked[0]).toMatchObject({ timeoutMs: 30_000, reserved: { cost_usd: 0.4, tokens: 5000 } });
  });

  test("the rest of a time budget shortens its timeout", async () => {
    const { real, provider } = await open(["yes"], { budgets: { run: { max_minutes: 5 } } });
    await provider.invoke(request({ timeoutMs: 3_600_000 }), NEVER);
    expect(real.asked[0]?.timeoutMs).toBe(300_000);
  });

  test("a replayed answer needs no price", async () => {
    const { provider } = await open(["yes"], { budgets: { run: { max_cost_usd: 1 } }, name: "replay" });
    await provider.invoke(request({ model: null }), NEVER);
    expect(await rows()).toMatchObject([{ status: "settled", cost_usd: 0.5 }]);
  });
});

describe("the same prompt", () => {
  test("is never paid for again, in any process", async () => {
    const { real, provider } = await open(["first", "second"]);
    const first = await provider.invoke(request(), NEVER);
    const next = metered(real, {
      budget: bench.process("b"),
      actor: SYSTEM,
      invocation: "run1/builder:1",
      runId: "run1",
      clock: tickingClock(),
    });
    expect(await next.invoke(request(), NEVER)).toEqual(first);
    expect(real.asked).toHaveLength(1);
    expect(await telemetry()).toMatchObject([{ calls: 1 }]);
    expect((await next.invoke(request({ repair: 1 }), NEVER)).text).toBe("second");
  });

  test("is sent again to a provider that works on files, because its changes are not in the answer", async () => {
    const { real, provider } = await open(["first", "second"]);
    const workplace = { folder: "/nowhere" } as unknown as NonNullable<ProviderRequest["workplace"]>;
    await provider.invoke(request({ workplace }), NEVER);
    expect((await provider.invoke(request({ workplace }), NEVER)).text).toBe("second");
    expect(real.asked).toHaveLength(2);
  });
});

test("the answer of a provider that works on files is stored with its changes, and restored with them", async () => {
  const { real, provider } = await open(["first", "second"]);
  const changes: PackChanges = { diff: "a diff", changed: ["a"], dropped: [] };
  const restored: PackChanges[] = [];
  const place = { changes: async () => changes, restore: async (found: PackChanges) => void restored.push(found) };
  const workplace = place as unknown as NonNullable<ProviderRequest["workplace"]>;
  expect(await provider.invoke(request({ workplace }), NEVER)).toMatchObject({ text: "first", changes });
  expect(await provider.invoke(request({ workplace }), NEVER)).toMatchObject({ text: "first" });
  expect([real.asked.length, restored]).toEqual([1, [changes]]);
});

describe("a failed call", () => {
  test.each(["rate_limited", "quota_exhausted", "agent_not_installed"] as const)(
    "with %s costs nothing and is not counted",
    async (code) => {
      const { provider } = await open([new SlipwayError(code, "no")], { budgets: { run: { max_calls: 1 } } });
      await expect(provider.invoke(request(), NEVER)).rejects.toMatchObject({ code });
      expect(await rows()).toMatchObject([{ status: "released", calls: 0, cost_usd: 0, tokens: 0, duration_ms: 0 }]);
      expect(await telemetry()).toEqual([]);
    },
  );

  test("in progress costs what it reported, whatever stopped it", async () => {
    const halfway: Provider = {
      name: "api",
      works: "folder",
      async invoke({ onEvent }) {
        for (const input_tokens of [100_000, 200_000])
          onEvent?.({ kind: "usage", usage: { input_tokens, output_tokens: 0, cost_usd: 0 }, model: "claude-sonnet-4-6" });
        onEvent?.({ kind: "text", text: "and then" });
        throw new SlipwayError("rate_limited", "slow down", { wake_at: 5 });
      },
    };
    const { provider } = await open([]);
    const heard: string[] = [];
    const over = metered(halfway, {
      budget: bench.process("a"),
      actor: SYSTEM,
      invocation: "x",
      runId: "run1",
      clock: tickingClock(),
    });
    await expect(over.invoke(request({ onEvent: ({ kind }) => heard.push(kind) }), NEVER)).rejects.toMatchObject({ code: "rate_limited" });
    // At the price of the model that answered, not of the requested one.
    expect(await rows()).toMatchObject([{ status: "failed", tokens: 300_000, cost_usd: 0.9, calls: 1 }]);
    expect(heard).toEqual(["usage", "usage", "text"]);
    expect(provider.works).toBe("prompt");
  });

  test("keeps its own error if the usage cannot be recorded either", async () => {
    bench = await openBudgetBench();
    const budget = { ...bench.process("a"), settle: () => Promise.reject(new Error("no disk")) };
    const failing = metered(scripted(new SlipwayError("agent_failed", "gone")), {
      budget,
      actor: SYSTEM,
      invocation: "x",
      runId: "run1",
      clock: tickingClock(),
    });
    await expect(failing.invoke(request(), NEVER)).rejects.toMatchObject({ code: "agent_failed" });
  });
});
