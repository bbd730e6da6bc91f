import type { Tx } from "../../../record/database/tables.ts";

export interface ApprovalsTables {
  /** One row per used approval. The row makes an approval single-use. */
  approvals: {
    id: string;
    feature_id: string;
    change: string;
    tree: string;
    base: string;
    policy_hash: string;
    approved_by: string;
    issued_at: number;
    consumed_at: number;
    token: string;
  };
  /** The message that a client wants its merge to have. Shown to the person who approves. */
  merge_proposals: { feature_id: string; commit_message: string; merge_strategy: string | null; at: number };
}

export async function createMergeProposals(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("merge_proposals")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("commit_message", "text", (column) => column.notNull())
    .addColumn("merge_strategy", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}

export async function createApprovals(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("approvals")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("feature_id", "text", (column) => column.notNull())
    .addColumn("change", "text", (column) => column.notNull())
    .addColumn("tree", "text", (column) => column.notNull())
    .addColumn("base", "text", (column) => column.notNull())
    .addColumn("policy_hash", "text", (column) => column.notNull())
    .addColumn("approved_by", "text", (column) => column.notNull())
    .addColumn("issued_at", "bigint", (column) => column.notNull())
    .addColumn("consumed_at", "bigint", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .execute();
}
