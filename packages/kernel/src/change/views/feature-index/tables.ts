import type { Tx } from "../../../record/database/tables.ts";

export interface FeatureIndexTables {
  /** One row. The content is computed from the other tables and stored, so that a change can be detected and counted. */
  feature_index: { name: "repository"; version: number; updated_at: number; content: string };
}

export async function createFeatureIndex(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("feature_index")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .execute();
  await tx.schema.createIndex("features_by_id_and_status").on("features").columns(["id", "status"]).execute();
}
