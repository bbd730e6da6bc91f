import type { Tx } from "../database/tables.ts";

export type OperationStatus = "started" | "finished" | "failed";

export interface OperationsTables {
  operations: {
    id: string;
    name: string;
    actor_type: string;
    actor_id: string;
    /** SHA-256 over the RFC 8785 text of the input as it was given. */
    input_digest: string;
    status: OperationStatus;
    /** The current driver: a new value per attempt, checked in the write that ends the operation. Null if there is none. */
    claim: string | null;
    owner: string | null;
    started_at: number;
    finished_at: number | null;
    /** Canonical JSON, or a reference to the object store when it is long. */
    response: string | null;
    failure: string | null;
  };
}

export async function createOperations(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("operations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("actor_type", "text", (column) => column.notNull())
    .addColumn("actor_id", "text", (column) => column.notNull())
    .addColumn("input_digest", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("claim", "text")
    .addColumn("owner", "text")
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("finished_at", "bigint")
    .addColumn("response", "text")
    .addColumn("failure", "text")
    .execute();
  await tx.schema.createIndex("operations_status").on("operations").columns(["status", "started_at"]).execute();
}
