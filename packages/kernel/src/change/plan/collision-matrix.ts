import { acceptedPlans } from "./claims-store.ts";
import { claimsOf } from "./claims.ts";
import { scanCollisions, type Collision } from "./collisions.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

export interface CollisionMatrix {
  /** Every active feature with an accepted plan, sorted. */
  readonly features: readonly string[];
  /** Every colliding pair, sorted, with its collisions. */
  readonly pairs: readonly {
    readonly features: readonly [string, string];
    readonly collisions: readonly Pick<Collision, "type" | "resource">[];
  }[];
}

/** Collisions between accepted plans under the current policy. */
export async function collisionMatrix({ db, configuration: { policy } }: FeatureDependencies): Promise<CollisionMatrix> {
  const plans = await acceptedPlans(db);
  const collisions = scanCollisions(
    plans.flatMap((plan) => claimsOf(plan, policy).map((claim) => ({ ...claim, feature_id: plan.feature_id }))),
  );
  const pairs = Map.groupBy(collisions, ({ features }) => JSON.stringify(features));
  return {
    features: plans.map(({ feature_id }) => feature_id),
    pairs: [...pairs].map(([features, collisions]) => ({
      features: JSON.parse(features) as [string, string],
      collisions: collisions.map(({ type, resource }) => ({ type, resource })),
    })),
  };
}
