import { acceptedPlans } from "./claims-store.ts";
import { claimsOf } from "./claims.ts";
import { scanCollisions, type Collision } from "./collisions.ts";
import type { Rooms } from "../feature/dependencies.ts";

export interface CollisionMatrix {
  /** Every feature that has not ended and has an accepted plan, in ascending order. */
  readonly features: readonly string[];
  /** Every two of them that collide, in ascending order, with what they collide in. */
  readonly pairs: readonly {
    readonly features: readonly [string, string];
    readonly collisions: readonly Pick<Collision, "type" | "resource">[];
  }[];
}

/** How the accepted plans stand to each other under the policy of now. */
export async function collisionMatrix({ db, configuration: { policy } }: Rooms): Promise<CollisionMatrix> {
  const plans = await acceptedPlans(db);
  const found = scanCollisions(plans.flatMap((plan) => claimsOf(plan, policy).map((claim) => ({ ...claim, feature_id: plan.feature_id }))));
  const pairs = Map.groupBy(found, ({ features }) => JSON.stringify(features));
  return {
    features: plans.map(({ feature_id }) => feature_id),
    pairs: [...pairs].map(([features, collisions]) => ({
      features: JSON.parse(features) as [string, string],
      collisions: collisions.map(({ type, resource }) => ({ type, resource })),
    })),
  };
}
