import type { Tx } from "../../../record/database/tables.ts";

export interface WaitsTables {
  /** Features whose plan waits until others have landed or ended. */
  waits: {
    feature_id: string;
    /** JSON: ids of the features it waits for. */
    blockers: string;
    /** JSON: the plan that would collide. Its claims count against later features of the run. */
    plan: string;
    since: number;
  };
}

export async function createWaits(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("waits")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("blockers", "text", (column) => column.notNull())
    .addColumn("plan", "text", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .execute();
}
