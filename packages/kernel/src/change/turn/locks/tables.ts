import type { Tx } from "../../../record/database/tables.ts";

export interface LocksTables {
  /** One row per resource that was ever locked. It stays after a release, because the token must never restart. */
  locks: {
    resource: string;
    /** Raised with each new holder. */
    token: number;
    holder: string | null;
    lease_id: string | null;
    ttl_ms: number;
    acquired_at: number;
    expires_at: number;
  };
}

export async function createLocks(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("locks")
    .addColumn("resource", "text", (column) => column.primaryKey())
    .addColumn("token", "bigint", (column) => column.notNull())
    .addColumn("holder", "text")
    .addColumn("lease_id", "text")
    .addColumn("ttl_ms", "bigint", (column) => column.notNull())
    .addColumn("acquired_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("locks_of_holder").on("locks").column("holder").execute();
}
