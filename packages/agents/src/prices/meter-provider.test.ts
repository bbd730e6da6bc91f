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
  test("is reserved at its worst before, settled at what it took after, and the answer says what it cost", async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10_000, cost_usd: 0 };
    const { real, provider } = await open([{ text: "yes", model: "claude-opus-4-5", usage }], { budgets: { run: { max_cost_usd: 5 } } });
    const reply = await provider.invoke(request(), NEVER);
    expect(reply).toMatchObject({ text: "yes", usage: { ...usage, cost_usd: 0.75 } });
    const worst = JSON.parse((await rows())[0]!.worst) as { cost_usd: number; tokens: number };
    expect(worst.cost_usd).toBeGreaterThan(0.8);
    // It may take what is left of the budget, not only what it was thought to need.
    expect(real.asked[0]?.reserved).toEqual({ cost_usd: 5, tokens: Number.MAX_SAFE_INTEGER });
    expect(await rows()).toMatchObject([{ status: "settled", cost_usd: 0.75, tokens: 110_000, calls: 1 }]);
    expect(await telemetry()).toMatchObject([{ id: "run1/builder:1", calls: 1, cost_usd: 0.75, provider: "scripted" }]);
  });

  test("prepared, it is reserved once, and refused where it is made; what it took goes to the disk while the answer is on its way", async () => {
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

  test("what came from a cache, or went into one, is paid for at its own price", async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10_000, cached_input_tokens: 60_000, cache_write_tokens: 20_000, cost_usd: 0 };
    const { provider } = await open([{ text: "yes", model: "claude-opus-4-5", usage }]);
    // 20 000 at $5, 60 000 at $0.50, 20 000 at $10 and 10 000 at $25 for a million.
    expect((await provider.invoke(request(), NEVER)).usage.cost_usd).toBeCloseTo(0.1 + 0.03 + 0.2 + 0.25, 10);
  });

  test("a provider that knows what it cost is believed; without a budget nothing limits it", async () => {
    const { real, provider } = await open([{ text: "yes" }]);
    expect((await provider.invoke(request(), NEVER)).usage.cost_usd).toBe(0.5);
    expect(real.asked[0]?.reserved).toBeUndefined();
  });

  test("is not made when a budget might not hold", async () => {
    const { real, provider } = await open(["yes"], { budgets: { run: { max_cost_usd: 0.1 } } });
    await expect(provider.invoke(request(), NEVER)).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { scope: "run", limit: 0.1 },
    });
    expect(real.asked).toEqual([]);
  });

  test("what one call may take is reserved where agents.yaml says it, price or no price", async () => {
    const call = { max_cost_usd: 0.4, max_tokens: 5000, max_minutes: 0.5 };
    const { real, provider } = await open(["yes"], { budgets: { run: { max_cost_usd: 1 } }, meter: { call } });
    await provider.invoke(request({ model: "homemade" }), NEVER);
    expect(real.asked[0]).toMatchObject({ timeoutMs: 30_000, reserved: { cost_usd: 0.4, tokens: 5000 } });
  });

  test("time that runs low cuts it short", async () => {
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

describe("the same question", () => {
  test("is never paid for again, in whatever process", async () => {
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

  test("is put again to whoever works on files, because what it changed is not in its answer", async () => {
    const { real, provider } = await open(["first", "second"]);
    const workplace = { folder: "/nowhere" } as unknown as NonNullable<ProviderRequest["workplace"]>;
    await provider.invoke(request({ workplace }), NEVER);
    expect((await provider.invoke(request({ workplace }), NEVER)).text).toBe("second");
    expect(real.asked).toHaveLength(2);
  });
});

test("the answer of one who works on files is kept with what it changed, and brought back with it", async () => {
  const { real, provider } = await open(["first", "second"]);
  const changes: PackChanges = { diff: "a diff", changed: ["a"], dropped: [] };
  const restored: PackChanges[] = [];
  const place = { changes: async () => changes, restore: async (found: PackChanges) => void restored.push(found) };
  const workplace = place as unknown as NonNullable<ProviderRequest["workplace"]>;
  expect(await provider.invoke(request({ workplace }), NEVER)).toMatchObject({ text: "first", changes });
  expect(await provider.invoke(request({ workplace }), NEVER)).toMatchObject({ text: "first" });
  expect([real.asked.length, restored]).toEqual([1, [changes]]);
});

describe("a call that fails", () => {
  test.each(["rate_limited", "quota_exhausted", "agent_not_installed"] as const)(
    "with %s has cost nothing and counts nowhere",
    async (code) => {
      const { provider } = await open([new SlipwayError(code, "no")], { budgets: { run: { max_calls: 1 } } });
      await expect(provider.invoke(request(), NEVER)).rejects.toMatchObject({ code });
      expect(await rows()).toMatchObject([{ status: "released", calls: 0, cost_usd: 0, tokens: 0, duration_ms: 0 }]);
      expect(await telemetry()).toEqual([]);
    },
  );

  test("on the way has cost what it told on the way, whatever stopped it", async () => {
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
    // At the price of who answered, and not of who was asked for.
    expect(await rows()).toMatchObject([{ status: "failed", tokens: 300_000, cost_usd: 0.9, calls: 1 }]);
    expect(heard).toEqual(["usage", "usage", "text"]);
    expect(provider.works).toBe("prompt");
  });

  test("keeps its own error when even the books cannot be kept", async () => {
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
