import fc from "fast-check";
import { expect, test } from "vitest";
import type { Budget } from "./budget.ts";
import { linesOf } from "./store.ts";
import { openBudgetBench, RUN, SYSTEM, taken, wish, type BudgetBench } from "./testing/budget-bench.ts";

/** Integer cents, so that the model adds exactly. */
interface Call {
  readonly process: number;
  readonly feature: string;
  readonly worst: number;
  readonly status: "reserved" | "settled" | "failed" | "released" | "cut_off";
  readonly cost: number;
}

interface Model {
  readonly calls: Map<string, Call>;
  readonly limits: Record<string, number>;
  readonly gone: Set<number>;
  order: string[];
}

interface Real {
  readonly bench: BudgetBench;
  readonly processes: Budget[];
}

const FEATURES = ["a", "b"] as const;
const PROCESSES = 3;
const LIMITS = { run: 100, a: 70, b: 70 };

const sum = (calls: Iterable<Call>, when: (call: Call) => boolean) => [...calls].filter(when).reduce((total, { cost }) => total + cost, 0);

class Reserve implements fc.AsyncCommand<Model, Real> {
  readonly process: number;
  readonly feature: string;
  readonly worst: number;
  constructor(process: number, feature: string, worst: number) {
    [this.process, this.feature, this.worst] = [process, feature, worst];
  }

  check = (model: Readonly<Model>) => !model.gone.has(this.process);

  async run(model: Model, real: Real): Promise<void> {
    for (const [id, call] of model.calls)
      if (call.status === "reserved" && model.gone.has(call.process)) model.calls.set(id, { ...call, status: "cut_off" });
    const used = (of: string) => sum(model.calls.values(), ({ feature }) => of === "run" || feature === of);
    const fits = ["run", this.feature].every((of) => used(of) + this.worst <= model.limits[of]!);
    const input = wish({ feature_id: this.feature, cost_usd: this.worst / 100, invocation: `inv ${model.order.length}` });
    const answer = await real.processes[this.process]!.reserve(SYSTEM, input).catch((error: { code: string }) => error.code);
    if (typeof answer === "string") expect([answer, fits]).toEqual(["budget_exceeded", false]);
    else {
      expect(fits).toBe(true);
      const { process, feature, worst } = this;
      model.calls.set(answer.id, { process, feature, worst, status: "reserved", cost: worst });
      model.order.push(answer.id);
    }
    await agrees(model, real);
  }

  toString = () => `reserve(${this.process}, ${this.feature}, ${this.worst})`;
}

class Settle implements fc.AsyncCommand<Model, Real> {
  readonly which: number;
  readonly status: "settled" | "failed" | "released";
  readonly cost: number;
  constructor(which: number, status: "settled" | "failed" | "released", cost: number) {
    [this.which, this.status, this.cost] = [which, status, status === "released" ? 0 : cost];
  }

  check = (model: Readonly<Model>) => model.order.length > 0;

  async run(model: Model, real: Real): Promise<void> {
    const id = model.order[this.which % model.order.length]!;
    const call = model.calls.get(id)!;
    const open = call.status === "reserved" || call.status === "cut_off";
    // A dead process settles nothing more; one that was only assumed dead may.
    await real.processes[call.process]!.settle(SYSTEM, taken(id, { status: this.status, cost_usd: this.cost / 100 })).catch(
      (error: { code: string }) => expect([error.code, open]).toEqual(["operation_conflict", false]),
    );
    if (open) model.calls.set(id, { ...call, status: this.status, cost: this.cost });
    await agrees(model, real);
  }

  toString = () => `settle(${this.which}, ${this.status}, ${this.cost})`;
}

class Kill implements fc.AsyncCommand<Model, Real> {
  readonly process: number;
  constructor(process: number) {
    this.process = process;
  }

  check = (model: Readonly<Model>) => model.gone.size < PROCESSES - 1;

  async run(model: Model, { bench }: Real): Promise<void> {
    model.gone.add(this.process);
    bench.dead.add(`process ${this.process}`);
  }

  toString = () => `kill(${this.process})`;
}

class Raise implements fc.AsyncCommand<Model, Real> {
  readonly by: number;
  constructor(by: number) {
    this.by = by;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const limit = model.limits["run"]! + this.by;
    model.limits["run"] = limit;
    const input = { run_id: RUN, scope: "run" as const, name: "", dimension: "cost_usd" as const, limit: limit / 100 };
    await real.processes[0]!.raise({ actor: SYSTEM, operationId: `raise ${limit}` }, input);
  }

  toString = () => `raise(${this.by})`;
}

async function agrees(model: Model, { bench }: Real): Promise<void> {
  const calls = [...model.calls.values()];
  const overrun = calls.reduce((total, { cost, worst, status }) => total + (status === "reserved" ? 0 : Math.max(0, cost - worst)), 0);
  for (const { name, limit, spent, reserved } of await linesOf(bench.db, RUN)) {
    const mine = (call: Call) => name === "" || call.feature === name;
    const cents = (usd: number) => Math.round(usd * 100);
    expect(cents(reserved)).toBe(sum(calls, (call) => mine(call) && call.status === "reserved"));
    expect(cents(spent)).toBe(sum(calls, (call) => mine(call) && call.status !== "reserved"));
    expect(Math.min(spent, reserved)).toBeGreaterThanOrEqual(0);
    // Spending exceeds the limit only by what calls cost beyond their own worst case.
    expect(cents(spent + reserved)).toBeLessThanOrEqual(cents(limit) + overrun);
  }
  const { total } = await bench.db
    .selectFrom("telemetry")
    .select((eb) => eb.fn.sum<number | null>("cost_usd").as("total"))
    .executeTakeFirstOrThrow();
  expect(Math.round(Number(total ?? 0) * 100)).toBe(sum(calls, ({ status }) => status === "settled" || status === "failed"));
}

const process_ = fc.nat(PROCESSES - 1);

test("several processes that reserve, settle, die and raise overspend at most by what calls cost beyond their worst case", async () => {
  const commands = fc.commands(
    [
      fc.tuple(process_, fc.constantFrom(...FEATURES), fc.integer({ min: 1, max: 45 })).map((args) => new Reserve(...args)),
      fc.tuple(process_, fc.constantFrom(...FEATURES), fc.integer({ min: 1, max: 45 })).map((args) => new Reserve(...args)),
      fc
        .tuple(fc.nat(9), fc.constantFrom("settled" as const, "failed" as const, "released" as const), fc.nat(50))
        .map((args) => new Settle(...args)),
      process_.map((which) => new Kill(which)),
      fc.integer({ min: 1, max: 30 }).map((by) => new Raise(by)),
    ],
    { maxCommands: 25 },
  );
  const usd = (cents: number) => ({ max_cost_usd: cents / 100 });
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const bench = await openBudgetBench({ run: usd(LIMITS.run), feature: usd(LIMITS.a) });
      try {
        const real = { bench, processes: Array.from({ length: PROCESSES }, (_, index) => bench.process(`process ${index}`)) };
        const model = () => ({ calls: new Map(), limits: { ...LIMITS }, gone: new Set<number>(), order: [] });
        await fc.asyncModelRun(() => ({ model: model(), real }), sequence);
      } finally {
        await bench.close();
      }
    }),
    { numRuns: 60 },
  );
});
