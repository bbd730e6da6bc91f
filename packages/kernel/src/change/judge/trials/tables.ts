import type { Tx } from "../../../record/database/tables.ts";

export interface TrialTables {
  /** One row for each time a gate ran on a tree that belongs to no feature: the base branch before any agent is called. */
  trials: {
    /** The id of the operation. */
    id: string;
    /** Digest of all that decides the result, as far as it can be known beforehand: tree, steps, what they see, toolchain. */
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
