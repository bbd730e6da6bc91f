import { bindFormerRows } from "@slipway/kernel/record/facts/bind-former";
import type { OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { Tx } from "@slipway/kernel/record/database/tables";
import { sql, type Generated } from "kysely";
import { LEDGER_GUARDS, LEDGER_INDEXES, LEDGER_TABLES } from "./ddl.ts";
import type { CheckRow, DispatchRow } from "./rows.ts";

export interface ForgeTables {
  /** Evidence of all runs. Triggers refuse every change of a row. */
  anvil_checks: Omit<CheckRow, "id"> & { id: Generated<number> };
  /** One row per dispatched instance. */
  pipeline_telemetry: Omit<DispatchRow, "id"> & { id: Generated<number> };
  /** Which observation of the harness a row of `anvil_checks` is. One observation counts once per task, phase and round. */
  anvil_sources: { check_id: string; check_name: string; run_id: string; task_id: string; phase: string; round: number; anvil_id: number };
  /** One row per run: where it is, for readers that drive no run. */
  forge_runs: {
    /** The id of the durable run. */
    run_key: string;
    /** The ISO 8601 timestamp that names the run in the ledger. */
    run_id: string;
    feature_id: string;
    /** JSON: the protocol's state. */
    state: string;
    /** The whole ledger as YAML if this run keeps it there; null if it is in the tables above. */
    yaml_ledger: string | null;
    updated_at: number;
  };
}

declare module "@slipway/kernel/record/database/tables" {
  interface Tables extends ForgeTables {}
}

async function createLedger(tx: Tx): Promise<void> {
  for (const text of [...LEDGER_TABLES, ...LEDGER_INDEXES, ...LEDGER_GUARDS]) await sql.raw(text).execute(tx);
  await tx.schema
    .createTable("anvil_sources")
    .addColumn("check_id", "text", (column) => column.notNull())
    .addColumn("check_name", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("task_id", "text", (column) => column.notNull())
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("round", "integer", (column) => column.notNull())
    .addColumn("anvil_id", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("anvil_sources_key", ["check_id", "check_name", "run_id", "task_id", "phase", "round"])
    .execute();
}

async function createRuns(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("forge_runs")
    .addColumn("run_key", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull().unique())
    .addColumn("feature_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("yaml_ledger", "text")
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
}

export const FORGE_TABLES: OwnMigrations = {
  owner: "forge",
  migrations: [
    { name: "forge-ledger", up: createLedger },
    { name: "forge-runs", up: createRuns },
    { name: "forge-former-facts", up: (tx) => bindFormerRows(tx, { anvil_checks: "id" }) },
  ],
  former: [],
};
