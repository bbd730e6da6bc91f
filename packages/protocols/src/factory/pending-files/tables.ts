import type { Tx } from "@slipway/kernel/record/database/tables";

/** Records whose files were written without fsync, so that a power cut may have emptied them. */
export interface PendingFilesTables {
  files_pending: { kind: string; id: string; written_at: number };
}

export async function createFilesPending(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("files_pending")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("written_at", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("files_pending_key", ["kind", "id"])
    .execute();
  await tx.schema.createIndex("files_pending_by_time").on("files_pending").columns(["written_at"]).execute();
}
