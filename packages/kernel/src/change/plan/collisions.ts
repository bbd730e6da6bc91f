import { digestOf } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import type { Policy } from "../../config/policy.ts";
import type { Claim, OwnedClaim } from "./claims.ts";

export interface Collision {
  /** Two plans with the same claim, or a plan that needs a lock of another feature. */
  readonly type: Claim["type"] | "lock";
  readonly resource: string;
  /** Both features, sorted. */
  readonly features: readonly [string, string];
}

export type RecommendedAction = "acquire_lock" | "revise_plan" | "create_shared_prerequisite_feature";

export interface CollisionReport {
  readonly collisions: readonly Collision[];
  readonly conflicting_feature_ids: readonly string[];
  /** Equal for the same collisions, independent of the order of submission. */
  readonly fingerprint: string;
  readonly recommended_actions: readonly RecommendedAction[];
}

const ACTIONS: Record<Collision["type"], readonly RecommendedAction[]> = {
  file: ["revise_plan", "create_shared_prerequisite_feature"],
  area: ["acquire_lock", "revise_plan"],
  contract: ["acquire_lock", "revise_plan", "create_shared_prerequisite_feature"],
  migration: ["acquire_lock", "revise_plan"],
  lock: ["acquire_lock", "revise_plan"],
};

const ACTION_TEXT: Record<RecommendedAction, string> = {
  acquire_lock: "Acquire the lock and submit again once the other feature has merged.",
  revise_plan: "Revise the plan so that it does not touch these resources.",
  create_shared_prerequisite_feature: "Move the shared part into a feature that merges first.",
};

/** Collisions of a feature's plan with claims and locks of other features; null if there are none. */
export function reportOn(
  feature: string,
  inTheWay: readonly { readonly type: Collision["type"]; readonly resource: string; readonly feature_id: string }[],
): CollisionReport | null {
  if (inTheWay.length === 0) return null;
  const collisions = inTheWay.map(({ type, resource, feature_id }) => ({ type, resource, features: pair(feature, feature_id) }));
  return {
    collisions: collisions.toSorted(inOrder),
    conflicting_feature_ids: [...new Set(inTheWay.map(({ feature_id }) => feature_id))].toSorted(),
    fingerprint: fingerprintOf(collisions),
    recommended_actions: [...new Set(collisions.flatMap(({ type }) => ACTIONS[type]))].toSorted(),
  };
}

/** The error for a colliding plan. The caller changes the feature. */
export function collisionError(feature: string, report: CollisionReport, policy: Policy): SlipwayError {
  const waits = policy.collision_policy === "block";
  const lines = report.collisions.map(({ type, resource, features }) => `  ${type} ${resource}: ${features.join(" and ")}`);
  return new SlipwayError(
    waits ? "blocked_by_collision_policy" : "collision_detected",
    `The plan of ${feature} ${waits ? "is queued because it collides with" : "collides with"} other features:\n${lines.join("\n")}`,
    {
      ...report,
      suggested_next_actions: [
        ...(waits ? ["Wait: the plan is accepted as soon as the collisions are gone."] : []),
        ...report.recommended_actions.map((action) => ACTION_TEXT[action]),
      ],
    },
  );
}

/** Every collision between two features, in an order that depends only on their claims. */
export function scanCollisions(claims: readonly OwnedClaim[]): Collision[] {
  const owners = Map.groupBy(claims, ({ type, resource }) => JSON.stringify([type, resource]));
  return [...owners.values()]
    .flatMap((sharing) =>
      sharing.flatMap((one, index) =>
        sharing.slice(index + 1).map((two) => ({ ...pick(one), features: pair(one.feature_id, two.feature_id) })),
      ),
    )
    .toSorted(inOrder);
}

export function fingerprintOf(collisions: readonly Collision[]): string {
  return digestOf(collisions.toSorted(inOrder).map(({ type, resource, features }) => [type, resource, features]));
}

function pick({ type, resource }: Claim): Claim {
  return { type, resource };
}

function pair(one: string, two: string): [string, string] {
  return one < two ? [one, two] : [two, one];
}

function inOrder(a: Collision, b: Collision): number {
  return byText([...a.features, a.type, a.resource], [...b.features, b.type, b.resource]);
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
