import { afterEach, expect, test } from "vitest";
import { costReport } from "./report.ts";
import { openBudgetBench, SYSTEM, taken, wish, type BudgetBench } from "./testing/budget-bench.ts";

let bench: BudgetBench;
afterEach(() => bench.close());

test("costs by run, feature, role and model, the most expensive first, with remaining budgets and cut-off calls", async () => {
  bench = await openBudgetBench({ run: { max_cost_usd: 5 }, roles: { qa: { max_calls: 2 } } });
  const budget = bench.process("a");
  const pay = async (changes: Parameters<typeof wish>[0], cost_usd: number, model = "m") => {
    const { id } = await budget.reserve(SYSTEM, wish({ invocation: JSON.stringify(changes), model, ...changes }));
    await budget.settle(SYSTEM, taken(id, { cost_usd, model }));
  };
  await pay({ role: "planner" }, 0.5);
  await pay({ role: "qa", feature_id: "other" }, 1, "big");
  await pay({ run_id: "run2/feature:old" }, 0.25);
  await bench.process("b").reserve(SYSTEM, wish({ invocation: "lost" }));
  await budget.reserve(SYSTEM, wish({ invocation: "open", cost_usd: 0.5 }));
  bench.dead.add("b");
  await budget.cutOff(SYSTEM);

  const report = await costReport({ database: bench }, "run1");
  expect(report.total).toMatchObject({ invocations: 2, calls: 2, cost_usd: 1.5, input_tokens: 800 });
  const shown = (lines: readonly { name: string; cost_usd: number }[]) => lines.map(({ name, cost_usd }) => [name, cost_usd]);
  expect(shown(report.by_run)).toEqual([["run1", 1.5]]);
  expect(shown(report.by_feature)).toEqual([
    ["other", 1],
    ["letters", 0.5],
  ]);
  expect(shown(report.by_role)).toEqual([
    ["qa", 1],
    ["planner", 0.5],
  ]);
  expect(shown(report.by_model)).toEqual([
    ["api big", 1],
    ["api m", 0.5],
  ]);
  expect(report.budgets).toMatchObject([
    { scope: "role", name: "qa", dimension: "calls", limit: 2, spent: 1, reserved: 0, left: 1 },
    { scope: "run", dimension: "cost_usd", limit: 5, spent: 2.5, reserved: 0.5, left: 2 },
  ]);
  expect(report.cut_off).toEqual({ calls: 1, cost_usd: 1, tokens: 1000 });

  const all = await costReport({ database: bench }, null);
  expect(shown(all.by_run)).toEqual([
    ["run1", 1.5],
    ["run2", 0.25],
  ]);
  expect(all).toMatchObject({ run: null, budgets: [], cut_off: { calls: 1 } });
});
