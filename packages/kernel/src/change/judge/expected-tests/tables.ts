import type { Tx } from "../../../record/database/tables.ts";

export interface ExpectedTestsTables {
  /** Tests that a gate has to run before the feature can merge. At most one row per feature. */
  expected_tests: {
    feature_id: string;
    /** JSON: files with the titles of their tests, and a command that runs them. */
    expected: string;
    /** JSON: who decided to merge without them, and when; null if nobody did. */
    waived: string | null;
    at: number;
  };
}

export async function createExpectedTests(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("expected_tests")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("expected", "text", (column) => column.notNull())
    .addColumn("waived", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}
