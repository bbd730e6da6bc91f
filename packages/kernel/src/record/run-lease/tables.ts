import type { Tx } from "../database/tables.ts";

export interface RunLeaseTables {
  /** One row: who may supervise runs in this repository. It stays after a release, because the epoch must never start again. */
  run_lease: {
    name: "repository";
    /** Raised each time the lease changes hands; every write of a supervisor is conditional on it. */
    epoch: number;
    /** Null between taking the lease and knowing the run. */
    run_id: string | null;
    /** Null when nobody holds it. */
    host: string | null;
    pid: number | null;
    process_start: string | null;
    expires_at: number | null;
  };
}

export async function createRunLease(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("run_lease")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("epoch", "bigint", (column) => column.notNull())
    .addColumn("run_id", "text")
    .addColumn("host", "text")
    .addColumn("pid", "integer")
    .addColumn("process_start", "text")
    .addColumn("expires_at", "bigint")
    .execute();
}
