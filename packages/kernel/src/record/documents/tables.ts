import type { Tx } from "../database/tables.ts";

export interface DocumentTables {
  /** Every state a document ever had; the latest revision is the document. */
  documents: {
    kind: string;
    id: string;
    revision: number;
    /** JSON. */
    body: string;
    /** SHA-256 of the body's RFC 8785 text. */
    digest: string;
    at: number;
  };
}

export async function createDocuments(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("documents")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("documents_key", ["kind", "id", "revision"])
    .execute();
}
