import type { Tx } from "../../../record/database/tables.ts";

export interface QueueTables {
  /** Plans that wait because of `collision_policy: block`; at most one per feature. */
  blocked_queue: {
    feature_id: string;
    plan_version: number;
    /** JSON; it has passed the schema. */
    plan: string;
    detected_at: number;
    collision_fingerprint: string;
    /** JSON: the locks to take when nothing is in the way. */
    required_resources: string;
    /** JSON: the features that are in the way. */
    waits_for: string;
    /** The commit on which the plan was made, and as JSON which of its files are there. */
    base_commit: string;
    files_at_base: string;
    /** 1 since something was let go of: to be looked at again before the transaction ends. */
    recheck: number;
  };
}

export async function createBlockedQueue(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("blocked_queue")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("plan_version", "integer", (column) => column.notNull())
    .addColumn("plan", "text", (column) => column.notNull())
    .addColumn("detected_at", "bigint", (column) => column.notNull())
    .addColumn("collision_fingerprint", "text", (column) => column.notNull())
    .addColumn("required_resources", "text", (column) => column.notNull())
    .addColumn("waits_for", "text", (column) => column.notNull())
    .addColumn("base_commit", "text", (column) => column.notNull())
    .addColumn("files_at_base", "text", (column) => column.notNull())
    .addColumn("recheck", "integer", (column) => column.notNull())
    .execute();
}
