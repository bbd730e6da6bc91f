import type { Policy } from "../../config/policy.ts";
import { preparedQuery, preparedQueryWith } from "../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import { ENDED } from "../feature/status.ts";
import { claimBasis, claimKey, claimsOf, type OwnedClaim } from "./claims.ts";
import type { Plan } from "./schema.ts";

/** Rows or values per statement. Each size is a separate prepared statement, and the connection keeps them all. */
const CHUNK = 50;

/** Replaces the claims of the feature's previous plan. */
export async function storeClaims(tx: Tx, plan: Plan, policy: Policy): Promise<void> {
  const { feature_id } = plan;
  await dropClaims(tx, feature_id);
  const rows = claimsOf(plan, policy).map((claim) => ({ ...claim, feature_id }));
  for (const chunk of chunks(rows)) await tx.insertInto("plan_claims").values(chunk).execute();
  await insertClaimed(tx, { feature_id, basis: claimBasis(policy) });
}

const insertClaimed = preparedQueryWith((db, row: { readonly feature_id: string; readonly basis: string }) =>
  db.insertInto("claimed_plans").values(row),
);
const deleteClaims = preparedQuery((db, feature: string) => db.deleteFrom("plan_claims").where("feature_id", "=", feature));
const deleteClaimed = preparedQuery((db, feature: string) => db.deleteFrom("claimed_plans").where("feature_id", "=", feature));
const claimedOtherwise = preparedQuery((db, basis: string) =>
  db.selectFrom("claimed_plans").select("feature_id").where("basis", "!=", basis),
);

export async function dropClaims(tx: Tx, feature: string): Promise<void> {
  await deleteClaims(tx, feature);
  await deleteClaimed(tx, feature);
}

/** Claims of the plan that other active features already have. An indexed lookup, independent of the number of features. */
export async function othersClaims(tx: Tx, plan: Plan, policy: Policy): Promise<OwnedClaim[]> {
  await refreshClaims(tx, policy);
  const wanted = claimsOf(plan, policy);
  const mine = new Set(wanted.map(claimKey));
  const claims: OwnedClaim[] = [];
  for (const chunk of chunks([...new Set(wanted.map(({ resource }) => resource))])) {
    const rows = await tx
      .selectFrom("plan_claims")
      .innerJoin("features", "features.id", "plan_claims.feature_id")
      .select(["plan_claims.type", "plan_claims.resource", "plan_claims.feature_id"])
      .where("plan_claims.resource", "in", chunk)
      .where("plan_claims.feature_id", "!=", plan.feature_id)
      .where("features.status", "not in", ENDED)
      .execute();
    claims.push(...rows.filter((row) => mine.has(claimKey(row))));
  }
  return claims;
}

/** The accepted plan of every active feature, by feature id. Each was validated when it was accepted. */
export async function acceptedPlans(db: Db | Tx): Promise<Plan[]> {
  const rows = await db
    .selectFrom("plans")
    .innerJoin("features", "features.id", "plans.feature_id")
    .select("plans.plan")
    .where("features.status", "not in", ENDED)
    .where(({ eb, selectFrom }) =>
      eb(
        "plans.plan_version",
        "=",
        selectFrom("plans as newer")
          .select(({ fn }) => fn.max("newer.plan_version").as("version"))
          .whereRef("newer.feature_id", "=", "plans.feature_id"),
      ),
    )
    .orderBy("plans.feature_id")
    .execute();
  return rows.map(({ plan }) => JSON.parse(plan) as Plan);
}

/** Recomputes claims under the current policy: its areas may have changed since a plan was accepted. */
async function refreshClaims(tx: Tx, policy: Policy): Promise<void> {
  const stale = await claimedOtherwise(tx, claimBasis(policy));
  if (stale.length === 0) return;
  const plans = new Map((await acceptedPlans(tx)).map((plan) => [plan.feature_id, plan]));
  for (const { feature_id } of stale) {
    const plan = plans.get(feature_id);
    await (plan === undefined ? dropClaims(tx, feature_id) : storeClaims(tx, plan, policy));
  }
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) => items.slice(index * CHUNK, (index + 1) * CHUNK));
}
