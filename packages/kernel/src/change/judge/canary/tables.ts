import type { Tx } from "../../../record/database/tables.ts";

export interface CanaryTables {
  /** People's decisions to merge although the gate stayed green with a planted failure. At most one row per feature. */
  canary_waivers: {
    feature_id: string;
    /** The change, gate and toolchain that the decision is about. */
    key: string;
    /** JSON: who decided it, and the question. */
    waived: string;
    at: number;
  };
}

export async function createCanaryWaivers(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("canary_waivers")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("waived", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}
