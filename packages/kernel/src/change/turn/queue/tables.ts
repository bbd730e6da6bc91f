import type { Tx } from "../../../record/database/tables.ts";

export interface QueueTables {
  /** Plans queued because of `collision_policy: block`; at most one per feature. */
  blocked_queue: {
    feature_id: string;
    plan_version: number;
    /** JSON, schema-valid. */
    plan: string;
    detected_at: number;
    collision_fingerprint: string;
    /** JSON: the locks to take with the acceptance. */
    required_resources: string;
    /** JSON: the features it waits for. */
    waits_for: string;
    /** The commit on which the plan is based. Below, as JSON, which of its files exist there. */
    base_commit: string;
    files_at_base: string;
    /** 1: an obstacle has changed; reconsider the entry before the transaction ends. */
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
