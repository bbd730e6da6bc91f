import type { Tx } from "../../../record/database/tables.ts";

export interface HoldsTables {
  /** Who is working on a feature's files at this moment. */
  worktree_holds: {
    feature_id: string;
    /** Fresh for each hold, so that only its own holder gives it back. */
    claim: string;
    owner: string;
    /** The operation, for whoever has to wait. */
    operation: string;
    since: number;
  };
}

export async function createHolds(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("worktree_holds")
    .addColumn("feature_id", "text", (column) => column.primaryKey())
    .addColumn("claim", "text", (column) => column.notNull())
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("operation", "text", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .execute();
}
