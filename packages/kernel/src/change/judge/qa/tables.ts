import type { Tx } from "../../../record/database/tables.ts";
import type { Hunk, QaStatus } from "./schema.ts";

export interface QaTables {
  qa_indexes: { feature_id: string; version: number; source_diff_ref: string };
  qa_items: {
    feature_id: string;
    /** In the order of the diff. */
    position: number;
    path: string;
    /** Digest of the hunk's content. */
    key: string;
    start_line: number;
    end_line: number;
    change_type: Hunk["change_type"];
    /** JSON */
    required_tests: string;
    status: QaStatus;
    last_run_at: string | null;
    /** JSON */
    evidence_refs: string | null;
  };
}

export async function createQa(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("qa_indexes")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("source_diff_ref", "text", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("qa_items")
    .addColumn("feature_id", "text", (column) => column.notNull().references("qa_indexes.feature_id").onDelete("cascade"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("start_line", "integer", (column) => column.notNull())
    .addColumn("end_line", "integer", (column) => column.notNull())
    .addColumn("change_type", "text", (column) => column.notNull())
    .addColumn("required_tests", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("last_run_at", "text")
    .addColumn("evidence_refs", "text")
    .addPrimaryKeyConstraint("qa_items_key", ["feature_id", "position"])
    .execute();
}
