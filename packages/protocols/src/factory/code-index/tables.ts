import type { Generated } from "kysely";
import type { Tx } from "@slipway/kernel/record/database/tables";
import type { IndexStatus } from "./entry.ts";

/** Append-only: triggers refuse updates and deletes. */
export interface CodeIndexTables {
  code_index_entries: {
    /** Increases by one per entry, so that a reader can resume where it stopped. */
    position: number;
    module_id: string;
    version: string;
    /** JSON: the fields that never change. */
    content: string;
    /** At the time it shipped. */
    notes: string;
    at: number;
  };
  /** The only change of an entry; the key allows one per entry. */
  code_index_retirements: {
    sequence: Generated<number>;
    position: number;
    status: Exclude<IndexStatus, "SHIPPED">;
    superseded_by: string | null;
    note: string;
    at: number;
  };
  /** The models of the embeddings; the latest row is current. */
  code_index_models: {
    generation: number;
    model: string;
    dimensions: number;
    at: number;
  };
  /** Derived data: the embeddings of an earlier model are deleted once a new model has covered all entries. */
  code_index_embeddings: {
    generation: number;
    position: number;
    /** Float32, little-endian, of length one. */
    vector: Uint8Array;
  };
  /** Full-text index of the entries' words, by position. */
  code_index_words: {
    rowid: number;
    words: string;
  };
}

const FOREVER = ["code_index_entries", "code_index_retirements", "code_index_models"] as const;

export async function createCodeIndex(tx: Tx): Promise<void> {
  const { sql } = await import("kysely");
  await tx.schema
    .createTable("code_index_entries")
    .addColumn("position", "integer", (column) => column.primaryKey())
    .addColumn("module_id", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("notes", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addUniqueConstraint("code_index_module_version", ["module_id", "version"])
    .execute();
  await tx.schema
    .createTable("code_index_retirements")
    .addColumn("sequence", "integer", (column) => column.primaryKey())
    .addColumn("position", "integer", (column) => column.notNull().unique().references("code_index_entries.position"))
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("superseded_by", "text")
    .addColumn("note", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("code_index_models")
    .addColumn("generation", "integer", (column) => column.primaryKey())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("dimensions", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("code_index_embeddings")
    .addColumn("generation", "integer", (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("vector", "blob", (column) => column.notNull())
    .addPrimaryKeyConstraint("code_index_embeddings_key", ["generation", "position"])
    .execute();
  // No positions and no content: queries only ask whether a word occurs.
  await sql`CREATE VIRTUAL TABLE code_index_words USING fts5(words, content='', columnsize=0, detail=none)`.execute(tx);
  for (const table of FOREVER)
    for (const change of ["UPDATE", "DELETE"])
      await sql
        .raw(
          `CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
           BEGIN SELECT RAISE(ABORT, 'the code index is append-only'); END`,
        )
        .execute(tx);
}
