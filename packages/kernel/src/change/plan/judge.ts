import type { SlipwayError } from "@slipway/durable/errors";
import { checkPlan, type PlanContext } from "./check.ts";
import type { OwnedClaim } from "./claims.ts";
import { collisionError, reportOn, type CollisionReport } from "./collisions.ts";
import { requiredLocks } from "./locks.ts";
import type { Plan } from "./schema.ts";
import { refusal, type Violation } from "./violation.ts";

export interface PlanFacts extends PlanContext {
  /** Who else holds which lock. */
  readonly holders: ReadonlyMap<string, string>;
  /** Which of the plan's claims others have. */
  readonly claimed: readonly OwnedClaim[];
  /** Whether locks that nobody holds are taken with the acceptance, as the queue does; else the feature must hold them before. */
  readonly takesFreeLocks: boolean;
}

export type Verdict =
  | { readonly answer: "accept"; readonly locks: readonly string[] }
  | { readonly answer: "refuse"; readonly error: SlipwayError }
  /** Under `collision_policy: block`. `missing` are the locks to take when its turn comes. */
  | { readonly answer: "wait"; readonly report: CollisionReport; readonly missing: readonly string[]; readonly error: SlipwayError };

/** Every check of a plan that has passed its schema, in one place for a submission, an update and the queue. */
export function judgePlan(plan: Plan, facts: PlanFacts): Verdict {
  const { policy, featureId, holders, heldLocks = [] } = facts;
  const locks = requiredLocks(plan, policy);
  const taken = facts.takesFreeLocks ? locks.filter((resource) => !holders.has(resource)) : [];
  const violations = checkPlan(plan, { ...facts, heldLocks: [...heldLocks, ...taken] });
  const missing = locks.filter((resource) => !heldLocks.includes(resource));
  const report = reportOn(featureId, [...facts.claimed, ...lockedByOthers(missing, holders)]);
  if (violations.some((found) => !waitingHelps(found))) return { answer: "refuse", error: refusal("The plan", violations) };
  if (policy.collision_policy === "block" && report !== null)
    return { answer: "wait", report, missing, error: collisionError(featureId, report, policy) };
  if (violations.length > 0)
    return { answer: "refuse", error: refusal("The plan", violations, { conflicting_feature_ids: [], ...report }) };
  if (report !== null) return { answer: "refuse", error: collisionError(featureId, report, policy) };
  return { answer: "accept", locks };
}

/** A protected area without a lock of its own is closed for good; any other lock comes free some day. */
function waitingHelps({ code, resource }: Violation): boolean {
  return code === "lock_not_held" && resource !== null;
}

function lockedByOthers(missing: readonly string[], holders: ReadonlyMap<string, string>) {
  return missing.flatMap((resource) => {
    const holder = holders.get(resource);
    return holder === undefined ? [] : [{ type: "lock" as const, resource, feature_id: holder }];
  });
}
