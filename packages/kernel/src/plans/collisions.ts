import { digestOf } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import type { Policy } from "../config/policy.ts";
import { areaMatcher } from "./areas.ts";
import { plannedFiles, type Plan } from "./schema.ts";

export interface Collision {
  readonly type: "file" | "area" | "contract" | "migration";
  /** The canonical path, the area as policy.yaml writes it, or the contract's name. */
  readonly resource: string;
  /** Both features, in ascending order. */
  readonly features: readonly [string, string];
}

export type RecommendedAction = "acquire_lock" | "revise_plan" | "create_shared_prerequisite_feature";

export interface CollisionReport {
  readonly collisions: readonly Collision[];
  readonly conflicting_feature_ids: readonly string[];
  /** Equal for the same collisions, whoever submitted first. */
  readonly fingerprint: string;
  readonly recommended_actions: readonly RecommendedAction[];
}

const ACTIONS: Record<Collision["type"], readonly RecommendedAction[]> = {
  file: ["revise_plan", "create_shared_prerequisite_feature"],
  area: ["acquire_lock", "revise_plan"],
  contract: ["acquire_lock", "revise_plan", "create_shared_prerequisite_feature"],
  migration: ["acquire_lock", "revise_plan"],
};

const ACTION_TEXT: Record<RecommendedAction, string> = {
  acquire_lock: "Acquire the lock and submit again once the other feature has merged.",
  revise_plan: "Revise the plan so that it leaves these alone.",
  create_shared_prerequisite_feature: "Move what both need into a feature that merges first.",
};

/** What a plan would collide with among the accepted plans of features that have not ended; null when nothing. */
export function findCollisions(plan: Plan, accepted: readonly Plan[], policy: Policy): CollisionReport | null {
  const others = accepted.filter((other) => other.feature_id !== plan.feature_id);
  const collisions = others.flatMap((other) => between(plan, other, policy)).toSorted(inOrder);
  if (collisions.length === 0) return null;
  const conflicting = new Set(collisions.flatMap(({ features }) => features.filter((id) => id !== plan.feature_id)));
  return {
    collisions,
    conflicting_feature_ids: [...conflicting].toSorted(),
    fingerprint: fingerprintOf(collisions),
    recommended_actions: [...new Set(collisions.flatMap(({ type }) => ACTIONS[type]))].toSorted(),
  };
}

/** The error a colliding plan ends in; what becomes of the feature is the caller's business. */
export function collisionError(plan: Plan, report: CollisionReport, policy: Policy): SlipwayError {
  const code = policy.collision_policy === "block" ? "blocked_by_collision_policy" : "collision_detected";
  const lines = report.collisions.map(({ type, resource, features }) => `  ${type} ${resource}: ${features.join(" and ")}`);
  return new SlipwayError(code, `The plan of ${plan.feature_id} collides with accepted plans:\n${lines.join("\n")}`, {
    ...report,
    suggested_next_actions: report.recommended_actions.map((action) => ACTION_TEXT[action]),
  });
}

/** Every collision between any two plans, in an order that depends only on the plans. */
export function scanCollisions(plans: readonly Plan[], policy: Policy): Collision[] {
  const pairs = plans.flatMap((plan, index) => plans.slice(index + 1).map((other) => [plan, other] as const));
  return pairs.flatMap(([plan, other]) => between(plan, other, policy)).toSorted(inOrder);
}

export function fingerprintOf(collisions: readonly Collision[]): string {
  return digestOf(collisions.map(({ type, resource, features }) => [type, resource, features.toSorted()]).toSorted(byText));
}

function between(one: Plan, two: Plan, policy: Policy): Collision[] {
  const features =
    one.feature_id < two.feature_id ? ([one.feature_id, two.feature_id] as const) : ([two.feature_id, one.feature_id] as const);
  const collide = (type: Collision["type"], resources: readonly string[]) => resources.map((resource) => ({ type, resource, features }));
  const areas = touchedAreas(two, policy);
  const files = new Set(plannedFiles(two).map(({ path }) => path));
  return [
    ...collide(
      "file",
      [...new Set(plannedFiles(one).map(({ path }) => path))].filter((path) => files.has(path)),
    ),
    ...collide(
      "area",
      touchedAreas(one, policy).filter((area) => areas.includes(area)),
    ),
    ...collide(
      "contract",
      (["openapi", "events"] as const).filter((contract) => one.contracts[contract] === "modify" && two.contracts[contract] === "modify"),
    ),
    ...collide("migration", one.contracts.db === "migration" && two.contracts.db === "migration" ? ["db"] : []),
  ];
}

/** The protected and exclusive areas in which the plan names a file. */
function touchedAreas(plan: Plan, policy: Policy): string[] {
  const areas = [...new Set([...policy.protected_areas, ...policy.exclusive_areas])];
  const files = plannedFiles(plan);
  return areas.filter((area) => {
    const covers = areaMatcher([area], policy.path_rules.matching);
    return files.some(({ path }) => covers(path) !== null);
  });
}

function inOrder(a: Collision, b: Collision): number {
  return byText([...a.features, a.type, a.resource], [...b.features, b.type, b.resource]);
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
