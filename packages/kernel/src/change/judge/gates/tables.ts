import type { Tx } from "../../../record/database/tables.ts";

export interface GateTables {
  /** One row per run of a gate mode, in any outcome. Merges rely on `checks`; this table has the details. */
  gate_runs: {
    /** The id of the operation. */
    id: string;
    feature_id: string;
    profile: string;
    mode: string;
    tree: string;
    status: "pass" | "fail" | "cancelled";
    /** JSON of a failure. */
    failure: string | null;
    /** JSON: name, command, status, exit code, log of each step. */
    steps: string;
    at: number;
  };
}

export async function createGateRuns(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("gate_runs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("feature_id", "text", (column) => column.notNull().references("features.id").onDelete("cascade"))
    .addColumn("profile", "text", (column) => column.notNull())
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("failure", "text")
    .addColumn("steps", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("gate_runs_newest").on("gate_runs").columns(["feature_id", "at"]).execute();
}
