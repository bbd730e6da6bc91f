import type { Selectable } from "kysely";
import type { Db } from "../record/database/tables.ts";
import type { Records } from "../record/storage.ts";
import { totalsOf, type Totals } from "./telemetry.ts";
import type { BudgetTables } from "./tables.ts";
import type { SpentLine } from "./rules.ts";
import { rootOf } from "./reserve.ts";
import { linesOf } from "./store.ts";

export interface CostLine extends Totals {
  readonly name: string;
}

export interface BudgetLine extends SpentLine {
  readonly left: number;
}

/** Calls whose process was killed: their cost is unknown, and the budgets count their worst case. */
export interface CutOff {
  readonly calls: number;
  readonly cost_usd: number;
  readonly tokens: number;
}

/** The costs, from the same rows that the budgets count. */
export interface CostReport {
  readonly run: string | null;
  readonly total: Totals;
  readonly by_run: readonly CostLine[];
  readonly by_feature: readonly CostLine[];
  readonly by_role: readonly CostLine[];
  readonly by_model: readonly CostLine[];
  /** Only for a report on one run. */
  readonly budgets: readonly BudgetLine[];
  readonly cut_off: CutOff;
}

type Row = Selectable<BudgetTables["telemetry"]>;

/** For one run with its children, or for all runs. */
export async function costReport({ database: { db } }: Pick<Records, "database">, run: string | null): Promise<CostReport> {
  const all = await db.selectFrom("telemetry").selectAll().orderBy("at").orderBy("id").execute();
  const rows = run === null ? all : all.filter(({ run_id }) => rootOf(run_id) === run);
  const lines = run === null ? [] : await linesOf(db, run);
  return {
    run,
    total: totalsOf(rows),
    by_run: grouped(rows, ({ run_id }) => rootOf(run_id)),
    by_feature: grouped(rows, ({ feature_id }) => feature_id ?? "none"),
    by_role: grouped(rows, ({ role }) => role),
    by_model: grouped(rows, ({ provider, model }) => (model === null ? provider : `${provider} ${model}`)),
    budgets: lines.map((line) => ({ ...line, left: Math.max(0, line.limit - line.spent - line.reserved) })),
    cut_off: await cutOffIn(db, run),
  };
}

/** The most expensive first. */
function grouped(rows: readonly Row[], keyOf: (row: Row) => string): CostLine[] {
  return [...Map.groupBy(rows, keyOf)]
    .map(([name, some]) => ({ name, ...totalsOf(some) }))
    .toSorted((one, two) => two.cost_usd - one.cost_usd || two.calls - one.calls || (one.name < two.name ? -1 : 1));
}

async function cutOffIn(db: Db, run: string | null): Promise<CutOff> {
  const rows = await db
    .selectFrom("reservations")
    .select(["cost_usd", "tokens"])
    .where("status", "=", "cut_off")
    .$if(run !== null, (query) => query.where("root_run_id", "=", run ?? ""))
    .execute();
  const sum = (field: "cost_usd" | "tokens") => rows.reduce((total, row) => total + Number(row[field]), 0);
  return { calls: rows.length, cost_usd: sum("cost_usd"), tokens: sum("tokens") };
}
