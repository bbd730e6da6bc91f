import type { Tx } from "../database/tables.ts";

export interface RunLeaseTables {
  /** One row: the supervisor of this repository. It stays after a release, because the epoch must never restart. */
  run_lease: {
    name: "repository";
    /** Raised with each takeover; every write of a supervisor is conditional on it. */
    epoch: number;
    /** Null from taking the lease until the run is known. */
    run_id: string | null;
    /** Null when the lease is free. */
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
