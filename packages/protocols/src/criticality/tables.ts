import type { OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { Tx } from "@slipway/kernel/record/database/tables";

export interface CriticalityTables {
  /** One row per run: where it is, for readers that drive no run. */
  criticality_runs: {
    run_id: string;
    project: string;
    /** JSON: the protocol's state. */
    state: string;
    /** JSON: cost, duration, quality and progress. */
    telemetry: string;
    /** JSON: what the phases have produced so far. */
    artifacts: string;
    updated_at: number;
  };
  /** One row per level of a benchmark that has ended. Rows are only added. */
  criticality_benchmarks: {
    run_id: string;
    level: string;
    suite: string;
    first_tier: string;
    /** Canonical JSON: the model of each role. */
    models: string;
    /** JSON: the result of each case. */
    cases: string;
    at: number;
  };
}

declare module "@slipway/kernel/record/database/tables" {
  interface Tables extends CriticalityTables {}
}

async function createRuns(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("criticality_runs")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("project", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("telemetry", "text", (column) => column.notNull())
    .addColumn("artifacts", "text", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
}

async function createBenchmarks(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("criticality_benchmarks")
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("level", "text", (column) => column.notNull())
    .addColumn("suite", "text", (column) => column.notNull())
    .addColumn("first_tier", "text", (column) => column.notNull())
    .addColumn("models", "text", (column) => column.notNull())
    .addColumn("cases", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("criticality_benchmarks_key", ["run_id", "level"])
    .execute();
}

export const CRITICALITY_TABLES: OwnMigrations = {
  owner: "criticality",
  migrations: [
    { name: "criticality-runs", up: createRuns },
    { name: "criticality-benchmarks", up: createBenchmarks },
  ],
  former: [],
};
