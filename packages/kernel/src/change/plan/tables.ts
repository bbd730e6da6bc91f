import type { Tx } from "../../record/database/tables.ts";
import type { Claim } from "./claims.ts";

export interface PlansTables {
  /** Claims of the accepted plans of active features; looked up by resource. */
  plan_claims: { resource: string; type: Claim["type"]; feature_id: string };
  /** Per feature, the digest of the policy part from which its claims were computed. */
  claimed_plans: { feature_id: string; basis: string };
}

export async function createPlanClaims(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("plan_claims")
    .addColumn("resource", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("feature_id", "text", (column) => column.notNull().references("features.id").onDelete("cascade"))
    .addPrimaryKeyConstraint("plan_claims_key", ["resource", "type", "feature_id"])
    .execute();
  await tx.schema.createIndex("plan_claims_of_feature").on("plan_claims").column("feature_id").execute();
  await tx.schema
    .createTable("claimed_plans")
    .addColumn("feature_id", "text", (column) => column.primaryKey().references("features.id").onDelete("cascade"))
    .addColumn("basis", "text", (column) => column.notNull())
    .execute();
  // For plans accepted by an earlier release: an empty basis matches no policy, so the next check computes their claims.
  const accepted = await tx.selectFrom("plans").select("feature_id").distinct().execute();
  for (const { feature_id } of accepted) await tx.insertInto("claimed_plans").values({ feature_id, basis: "" }).execute();
}
