import type { Tx } from "../../../record/database/tables.ts";

export interface TrialTables {
  /** One row per gate run on a tree without a feature, such as the base branch before any agent is called. */
  trials: {
    /** The id of the operation. */
    id: string;
    /** Digest of everything known beforehand that decides the result: tree, steps, visible files, toolchain. */
    key: string;
    tree: string;
    profile: string;
    mode: string;
    status: "pass" | "warn" | "fail";
    /** JSON of a failure. */
    failure: string | null;
    /** JSON: name, command, status, exit code, log, program of each step. */
    steps: string;
    /** JSON of what the reports counted. */
    counts: string;
    sandbox: string;
    at: number;
  };
}

export async function createTrials(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("trials")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("profile", "text", (column) => column.notNull())
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("failure", "text")
    .addColumn("steps", "text", (column) => column.notNull())
    .addColumn("counts", "text", (column) => column.notNull())
    .addColumn("sandbox", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("trials_by_key").on("trials").columns(["key", "at"]).execute();
}
