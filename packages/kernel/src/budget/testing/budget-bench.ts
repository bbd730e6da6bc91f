import { systemIds } from "@slipway/durable/environment";
import type { Owners } from "../../record/operations/owners.ts";
import { openBench, type Bench } from "../../record/operations/testing/door.ts";
import { openBudget, type Budget } from "../budget.ts";
import type { BudgetsConfig, ReserveInput } from "../reserve.ts";
import type { SettleInput } from "../settle.ts";

export const SYSTEM = { type: "system", id: "test" } as const;
export const RUN = "run1";

export interface BudgetBench extends Bench {
  /** Opens the budget like another process; `dead` contains the processes that have died. */
  process(self: string): Budget;
  readonly dead: Set<string>;
  readonly unknown: Set<string>;
}

export async function openBudgetBench(config: Partial<BudgetsConfig> = {}, folder?: string): Promise<BudgetBench> {
  const bench = await openBench(folder === undefined ? {} : { folder });
  const [dead, unknown] = [new Set<string>(), new Set<string>()];
  const stateOf = (owner: string) => (dead.has(owner) ? "dead" : unknown.has(owner) ? "unknown" : "alive");
  const process = (self: string) => {
    const owners: Owners = { self, stateOf };
    const { db, objects, clock } = bench;
    return openBudget({ db, objects, clock, ids: systemIds, door: bench.another(), config: { roles: {}, ...config }, owners });
  };
  return { ...bench, process, dead, unknown };
}

export function wish(changes: Partial<ReserveInput> = {}): ReserveInput {
  return {
    invocation: `${RUN}/feature:letters/builder:1`,
    repair: 0,
    prompt_digest: "p",
    run_id: `${RUN}/feature:letters`,
    feature_id: "letters",
    role: "builder",
    provider: "api",
    model: "m",
    cost_usd: 1,
    tokens: 1000,
    duration_ms: 60_000,
    ...changes,
  };
}

export function taken(reservation: string, changes: Partial<SettleInput> = {}): SettleInput {
  const usage = { input_tokens: 400, output_tokens: 100, cost_usd: 0.25, duration_ms: 2000 };
  return { reservation, status: "settled", model: "m", ...usage, reply_digest: null, ...changes };
}
