import type { Tx } from "../../../record/database/tables.ts";

export interface EvidenceTables {
  /** Observations of the harness. No other component writes here, and rows are never changed. */
  checks: {
    id: string;
    run_id: string;
    feature_id: string | null;
    name: string;
    kind: string;
    /** The git tree of the observation. */
    tree: string;
    status: "pass" | "fail";
    exit_code: number | null;
    /** JSON */
    counts: string | null;
    log_digest: string | null;
    produced_by: "harness";
    at: number;
  };
  /** What one call of an agent sent and tried to send from its sandbox. Rows are never changed. */
  egress: {
    id: string;
    run_id: string;
    feature_id: string;
    role: string;
    /** The invocation that the call belongs to, as in `telemetry`. */
    invocation: string;
    /** JSON: HostTraffic of each host. */
    hosts: string;
    at: number;
  };
}

export async function createEvidence(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("checks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("feature_id", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("exit_code", "integer")
    .addColumn("counts", "text")
    .addColumn("log_digest", "text")
    .addColumn("produced_by", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("checks_of_feature").on("checks").columns(["feature_id", "tree"]).execute();
  await tx.schema
    .createTable("telemetry")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("feature_id", "text")
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("model", "text")
    .addColumn("input_tokens", "bigint", (column) => column.notNull())
    .addColumn("output_tokens", "bigint", (column) => column.notNull())
    .addColumn("cost_usd", "real", (column) => column.notNull())
    .addColumn("duration_ms", "bigint", (column) => column.notNull())
    .addColumn("calls", "integer", (column) => column.notNull())
    .addColumn("transcript_digest", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("telemetry_of_feature").on("telemetry").columns(["feature_id", "run_id"]).execute();
}

export async function createEgress(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("egress")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("feature_id", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("invocation", "text", (column) => column.notNull())
    .addColumn("hosts", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("egress_of_feature").on("egress").columns(["feature_id"]).execute();
}
