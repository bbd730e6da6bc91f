import type { SlipwayError } from "@slipway/durable/errors";
import { checkPlan, type PlanContext } from "./check.ts";
import type { OwnedClaim } from "./claims.ts";
import { collisionError, reportOn, type CollisionReport } from "./collisions.ts";
import { requiredLocks } from "./locks.ts";
import type { Plan } from "./schema.ts";
import { refusal, type Violation } from "./violation.ts";

export interface PlanFacts extends PlanContext {
  /** Locks held by other features, with their holders. */
  readonly holders: ReadonlyMap<string, string>;
  /** Claims of the plan that other features have. */
  readonly claimed: readonly OwnedClaim[];
  /** Whether accepting the plan also takes free locks, as in the queue. Otherwise the feature must hold them already. */
  readonly takesFreeLocks: boolean;
}

export type PlanVerdict =
  | { readonly answer: "accept"; readonly locks: readonly string[] }
  | { readonly answer: "refuse"; readonly error: SlipwayError }
  /** Under `collision_policy: block`. `missing` are the locks to take with the acceptance. */
  | { readonly answer: "wait"; readonly report: CollisionReport; readonly missing: readonly string[]; readonly error: SlipwayError };

/** All checks of a schema-valid plan, shared by submission, update and queue. */
export function judgePlan(plan: Plan, facts: PlanFacts): PlanVerdict {
  const { policy, featureId, holders, heldLocks = [] } = facts;
  const locks = requiredLocks(plan, policy);
  const taken = facts.takesFreeLocks ? locks.filter((resource) => !holders.has(resource)) : [];
  const violations = checkPlan(plan, { ...facts, heldLocks: [...heldLocks, ...taken] });
  const missing = locks.filter((resource) => !heldLocks.includes(resource));
  const report = reportOn(featureId, [...facts.claimed, ...lockedByOthers(missing, holders)]);
  if (violations.some((broken) => !waitingHelps(broken))) return { answer: "refuse", error: refusal("The plan", violations) };
  if (policy.collision_policy === "block" && report !== null)
    return { answer: "wait", report, missing, error: collisionError(featureId, report, policy) };
  if (violations.length > 0)
    return { answer: "refuse", error: refusal("The plan", violations, { conflicting_feature_ids: [], ...report }) };
  if (report !== null) return { answer: "refuse", error: collisionError(featureId, report, policy) };
  return { answer: "accept", locks };
}

/** A protected area without a configured lock stays closed; any other lock is released eventually. */
function waitingHelps({ code, resource }: Violation): boolean {
  return code === "lock_not_held" && resource !== null;
}

function lockedByOthers(missing: readonly string[], holders: ReadonlyMap<string, string>) {
  return missing.flatMap((resource) => {
    const holder = holders.get(resource);
    return holder === undefined ? [] : [{ type: "lock" as const, resource, feature_id: holder }];
  });
}
