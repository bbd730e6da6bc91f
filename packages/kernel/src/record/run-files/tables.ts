import type { Tx } from "../database/tables.ts";

export interface RunFilesTables {
  /** The current content of files that a protocol writes for people, below `.slipway/runs`. */
  run_files: {
    /** Of a run, or of a change in it. */
    folder: string;
    path: string;
    /** Null if it is in the object store. */
    text: string | null;
    digest: string;
    at: number;
  };
}

export async function createRunFiles(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("run_files")
    .addColumn("folder", "text", (column) => column.notNull())
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("text", "text")
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_files_key", ["folder", "path"])
    .execute();
}
