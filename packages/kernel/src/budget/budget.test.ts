import { afterEach, describe, expect, test } from "vitest";
import { SlipwayError } from "../schema/errors.ts";
import { openWithin } from "../record/questions/inbox.ts";
import { linesOf } from "./store.ts";
import { openBudgetBench, RUN, SYSTEM, taken, wish, type BudgetBench } from "./testing/budget-bench.ts";

let bench: BudgetBench;
afterEach(() => bench.close());

const CALL = { actor: SYSTEM, operationId: "op" };
const open = async (config: Parameters<typeof openBudgetBench>[0] = {}) => {
  bench = await openBudgetBench(config);
  return bench.process("a");
};
const lines = async () =>
  (await linesOf(bench.db, RUN)).map(({ scope, name, dimension, ...line }) => [`${scope} ${name} ${dimension}`, line]);
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SlipwayError)) throw new Error("it was not refused");
  return error;
};

describe("reserving", () => {
  test("reserves the worst case in the run, the feature and the role, and settling replaces it by the real cost", async () => {
    const budget = await open({ run: { max_cost_usd: 5 }, feature: { max_tokens: 5000 }, roles: { builder: { max_calls: 3 } } });
    const { id } = await budget.reserve(SYSTEM, wish());
    expect(await lines()).toEqual([
      ["feature letters tokens", { limit: 5000, spent: 0, reserved: 1000 }],
      ["role builder calls", { limit: 3, spent: 0, reserved: 1 }],
      ["run  cost_usd", { limit: 5, spent: 0, reserved: 1 }],
    ]);
    await budget.settle(SYSTEM, taken(id));
    expect(await lines()).toEqual([
      ["feature letters tokens", { limit: 5000, spent: 500, reserved: 0 }],
      ["role builder calls", { limit: 3, spent: 1, reserved: 0 }],
      ["run  cost_usd", { limit: 5, spent: 0.25, reserved: 0 }],
    ]);
  });

  test("is refused if the worst case does not fit, naming scope, limit, spent, reserved and wanted", async () => {
    const budget = await open({ run: { max_cost_usd: 2.5 } });
    await budget.settle(SYSTEM, taken((await budget.reserve(SYSTEM, wish())).id, { cost_usd: 0.8 }));
    await budget.reserve(SYSTEM, wish({ feature_id: "other" }));
    const error = await refusal(budget.reserve(SYSTEM, wish({ role: "qa" })));
    expect(error).toMatchObject({
      code: "budget_exceeded",
      message:
        "The run has a budget of $2.50: $0.80 is spent, $1.00 more is reserved by running calls, and the qa's next call may take $1.00.",
      details: { scope: "run", dimension: "cost_usd", limit: 2.5, spent: 0.8, reserved: 1, wanted: 1, suggested_limit: 5 },
    });
    expect(await bench.db.selectFrom("reservations").select("id").execute()).toHaveLength(2);
  });

  test.each([
    [
      { feature: { max_tokens: 999 } },
      "The feature letters has a budget of 999 tokens: 0 tokens is spent, and the builder's next call may take",
    ],
    [
      { roles: { builder: { max_minutes: 0.5 } } },
      "The role builder has a budget of 30 s: 0 s is spent, and the builder's next call may take",
    ],
  ])("every scope and dimension: %j", async (config, message) => {
    const budget = await open(config);
    expect((await refusal(budget.reserve(SYSTEM, wish()))).message).toContain(message);
  });

  test("calls: a third of two is refused for any role, and a rate-limited call does not count", async () => {
    const budget = await open({ run: { max_calls: 2 } });
    await budget.settle(SYSTEM, taken((await budget.reserve(SYSTEM, wish())).id, { status: "released" }));
    await budget.reserve(SYSTEM, wish({ role: "planner" }));
    await budget.reserve(SYSTEM, wish());
    expect((await refusal(budget.reserve(SYSTEM, wish({ role: "qa" })))).details).toMatchObject({ dimension: "calls", reserved: 2 });
  });

  test("time: a call gets what is left if that is at least a minute", async () => {
    const budget = await open({ run: { max_minutes: 10 } });
    const first = await budget.reserve(SYSTEM, wish({ duration_ms: 8 * 60_000 }));
    const second = await budget.reserve(SYSTEM, wish({ duration_ms: 8 * 60_000 }));
    expect([first.duration_ms, second.duration_ms]).toEqual([480_000, 120_000]);
    expect((await refusal(budget.reserve(SYSTEM, wish()))).details).toMatchObject({ dimension: "duration_ms", reserved: 600_000 });
  });

  test("a call without a price is refused only under a budget in money", async () => {
    const budget = await open({ run: { max_cost_usd: 5 } });
    const error = await refusal(budget.reserve(SYSTEM, wish({ cost_usd: null, model: "homemade" })));
    expect(error.message).toBe(
      "The run has a budget of $5.00, but the price of the model homemade is unknown, so the cost of the call cannot be checked against it.",
    );
    expect(error.details.suggested_next_actions[0]).toContain("runtime.prices");
    expect((await refusal(budget.reserve(SYSTEM, wish({ cost_usd: null, model: null })))).message).toContain("no model is named");
    await bench.close();
    const tokens = await open({ run: { max_tokens: 5000 } });
    await tokens.reserve(SYSTEM, wish({ cost_usd: null, model: "homemade" }));
  });

  test("returns how much a call may use before a budget is overspent", async () => {
    const budget = await open({ run: { max_cost_usd: 5 }, feature: { max_cost_usd: 3, max_tokens: 4000 }, roles: {} });
    expect((await budget.reserve(SYSTEM, wish())).most).toEqual({ cost_usd: 3, tokens: 4000 });
    expect((await budget.reserve(SYSTEM, wish())).most).toEqual({ cost_usd: 2, tokens: 3000 });
    expect((await budget.reserve(SYSTEM, wish({ feature_id: "x" }))).most).toEqual({ cost_usd: 3, tokens: 4000 });
  });

  test("another run has its own budgets", async () => {
    const budget = await open({ run: { max_calls: 1 } });
    await budget.reserve(SYSTEM, wish());
    await budget.reserve(SYSTEM, wish({ run_id: "run2/feature:letters" }));
    await expect(budget.reserve(SYSTEM, wish({ feature_id: "x" }))).rejects.toMatchObject({ code: "budget_exceeded" });
  });
});

describe("settling", () => {
  test("adds up the calls of an invocation in its telemetry, including failed but not released ones", async () => {
    const budget = await open();
    for (const status of ["settled", "failed", "released"] as const) {
      const { id } = await budget.reserve(SYSTEM, wish());
      await budget.settle(SYSTEM, taken(id, { status, ...(status === "settled" ? { model: "m-2026" } : { model: null }) }));
    }
    expect(await bench.db.selectFrom("telemetry").selectAll().execute()).toMatchObject([
      { id: wish().invocation, run_id: wish().run_id, model: "m", calls: 2, input_tokens: 800, output_tokens: 200, cost_usd: 0.5 },
    ]);
  });

  test("twice has no second effect", async () => {
    const budget = await open();
    const { id } = await budget.reserve(SYSTEM, wish());
    await budget.settle(SYSTEM, taken(id));
    await budget.settle(SYSTEM, taken(id));
    expect((await bench.db.selectFrom("telemetry").select("calls").execute()).map(({ calls }) => calls)).toEqual([1]);
  });

  test("a stored answer is found only by the same call", async () => {
    const budget = await open();
    const { id } = await budget.reserve(SYSTEM, wish());
    const question = { invocation: wish().invocation, repair: 0, prompt_digest: "p" };
    expect(await budget.keptReply(question)).toBeNull();
    await budget.settle(SYSTEM, taken(id, { reply_digest: await budget.keepReply({ text: "kept" }) }));
    expect(await budget.keptReply(question)).toEqual({ text: "kept" });
    expect(await budget.keptReply({ ...question, repair: 1 })).toBeNull();
    expect(await budget.keptReply({ ...question, prompt_digest: "other" })).toBeNull();
  });

  test("the answer of a call that failed is not taken for its result", async () => {
    const budget = await open();
    const { id } = await budget.reserve(SYSTEM, wish());
    await budget.settle(SYSTEM, taken(id, { status: "failed", reply_digest: await budget.keepReply({ text: "cut off in the mid" }) }));
    expect(await budget.keptReply({ invocation: wish().invocation, repair: 0, prompt_digest: "p" })).toBeNull();
  });

  test.each([
    [
      "a long one",
      async (budget: Awaited<ReturnType<typeof open>>) => budget.keepReply({ text: "long ".repeat(20_000) }),
      { text: "long ".repeat(20_000) },
    ],
    ["one of an earlier release", async () => bench.objects.put(Buffer.from('{"text":"old"}')), { text: "old" }],
  ])("%s is found", async (_case, keep, expected) => {
    const budget = await open();
    const { id } = await budget.reserve(SYSTEM, wish());
    await budget.settle(SYSTEM, taken(id, { reply_digest: await keep(budget) }));
    expect(await budget.keptReply({ invocation: wish().invocation, repair: 0, prompt_digest: "p" })).toEqual(expected);
  });
});

describe("a process that has died", () => {
  test("its call counts as spent at its worst case, until a process that is alive after all settles it", async () => {
    const budget = await open({ run: { max_cost_usd: 1.5 } });
    const { id } = await budget.reserve(SYSTEM, wish());
    bench.dead.add("a");
    const next = bench.process("b");
    const error = await refusal(next.reserve(SYSTEM, wish()));
    expect(error.details).toMatchObject({ spent: 1, reserved: 0, wanted: 1 });
    expect(await bench.db.selectFrom("telemetry").selectAll().execute()).toEqual([]);
    await budget.settle(SYSTEM, taken(id));
    await next.reserve(SYSTEM, wish());
  });

  test("on another machine it counts as alive for the time of its call", async () => {
    await (await open()).reserve(SYSTEM, wish());
    bench.unknown.add("a");
    const next = bench.process("b");
    expect(await next.cutOff(SYSTEM)).toEqual([]);
    bench.clock.time += 60_000 + 60_001;
    expect(await next.cutOff(SYSTEM)).toHaveLength(1);
    expect(await next.cutOff(SYSTEM)).toEqual([]);
  });
});

describe("a person", () => {
  test("raises the limit for this run and never lowers it, and agents.yaml may later raise or remove it", async () => {
    const budget = await open({ run: { max_calls: 1 } });
    const raise = (limit: number, operationId: string) =>
      budget.raise({ ...CALL, operationId }, { run_id: wish().run_id, scope: "run", name: "", dimension: "calls", limit });
    await budget.reserve(SYSTEM, wish());
    await raise(3, "one");
    await raise(2, "two");
    await budget.reserve(SYSTEM, wish());
    expect(await linesOf(bench.db, RUN)).toMatchObject([{ limit: 3, reserved: 2 }]);
    const { folder } = bench;
    await bench.close();
    bench = await openBudgetBench({ run: { max_calls: 9 } }, folder);
    await bench.process("a").reserve(SYSTEM, wish());
    expect(await linesOf(bench.db, RUN)).toMatchObject([{ limit: 9, reserved: 3 }]);
    await bench.close();
    bench = await openBudgetBench({}, folder);
    await bench.process("a").reserve(SYSTEM, wish());
    expect(await linesOf(bench.db, RUN)).toEqual([]);
  });

  test("a raised limit answers the other open questions about it, and no others", async () => {
    const budget = await open({ run: { max_calls: 1 } });
    const common = {
      title: "?",
      body: "",
      options: [],
      answerSchema: {},
      answerableBy: [],
      remindAfterMs: [],
      askedAt: 1,
      expiresAt: null,
    };
    const ask = (id: string, runId: string | null, context: Record<string, string>, kind = "budget") =>
      bench.db.transaction().execute((tx) => openWithin(tx, { ...common, id, runId, name: id, kind, context }));
    const same = { scope: "run", name: "", dimension: "calls" };
    await ask("same", `${RUN}/feature:b`, same);
    await ask("tokens", `${RUN}/feature:b`, { ...same, dimension: "tokens" });
    await ask("role", `${RUN}/feature:b`, { ...same, scope: "role" });
    await ask("other run", "run2/feature:b", same);
    await ask("nobody's", null, same);
    await ask("approval", `${RUN}/feature:b`, same, "approval");
    await budget.raise(CALL, { run_id: RUN, scope: "run", name: "", dimension: "calls", limit: 2 });
    const answered = await bench.db.selectFrom("questions").select(["id", "answer"]).where("status", "=", "answered").execute();
    expect(answered).toEqual([{ id: "same", answer: '{"comment":"the budget was raised","decision":"retry"}' }]);
    expect(await bench.db.selectFrom("signals").select("run_id").execute()).toEqual([{ run_id: `${RUN}/feature:b` }]);
  });

  test("allows one invocation beyond its budget, and no other", async () => {
    const budget = await open({ run: { max_calls: 1 } });
    await budget.reserve(SYSTEM, wish());
    await budget.allowOnce(CALL, "the one");
    await budget.allowOnce({ ...CALL, operationId: "again" }, "the one");
    await budget.reserve(SYSTEM, wish({ invocation: "the one" }));
    await expect(budget.reserve(SYSTEM, wish({ invocation: "another" }))).rejects.toMatchObject({ code: "budget_exceeded" });
  });
});
