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
    /** Null if the run's ledger is in the tables above. Otherwise the empty one it began with: the ledger is in `forge_yaml_ledgers`. */
    yaml_ledger: string | null;
    updated_at: number;
  };
  /** The whole ledger of a run that keeps it as YAML. Bound to the journal, like the rows of `anvil_checks`. */
  forge_yaml_ledgers: { run_id: string; yaml_ledger: string };
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

/** Until then the text was in `forge_runs`, whose rows are not bound. */
async function createYamlLedgers(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("forge_yaml_ledgers")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("yaml_ledger", "text", (column) => column.notNull())
    .execute();
  await sql`INSERT INTO forge_yaml_ledgers SELECT run_id, yaml_ledger FROM forge_runs WHERE yaml_ledger IS NOT NULL`.execute(tx);
  await bindFormerRows(tx, { forge_yaml_ledgers: "run_id" });
}

export const FORGE_TABLES: OwnMigrations = {
  owner: "forge",
  migrations: [
    { name: "forge-ledger", up: createLedger },
    { name: "forge-runs", up: createRuns },
    { name: "forge-former-facts", up: (tx) => bindFormerRows(tx, { anvil_checks: "id" }) },
    { name: "forge-yaml-ledgers", up: createYamlLedgers },
  ],
  former: [],
};
