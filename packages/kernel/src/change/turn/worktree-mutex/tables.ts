import type { Tx } from "../../../record/database/tables.ts";

export interface HoldsTables {
  /** The operation that currently uses a feature's files. */
  worktree_holds: {
    feature_id: string;
    /** New for each hold, so that only its own holder can release it. */
    claim: string;
    owner: string;
    /** The name of the operation, shown to waiting callers. */
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
