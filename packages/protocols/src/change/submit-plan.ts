import { toFailure, type Failure } from "@slipway/durable/errors";
import { collisionError, reportOn } from "@slipway/kernel/change/plan/collisions";
import type { OwnedClaim } from "@slipway/kernel/change/plan/claims";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { arbitrate } from "./arbitrate.ts";
import { performAs } from "./firewall.ts";
import { holdLocks } from "./locks.ts";
import type { OperationResult, ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

/**
 * Submits a plan when every earlier feature of the run has decided what it plans, and has what collides arbitrated. Waiting takes
 * no attempt of the planner's; when it is over, the same plan is submitted again on the base that the others left. Null when a
 * person has given the feature up.
 */
export async function submitInTurn(change: ChangeRun, number: string, plan: Plan): Promise<OperationResult<Plan | null>> {
  for (let round = 1; ; round++) {
    const name = round === 1 ? number : `${number}-${round}`;
    const { claimed } = await change.ctx.until(`turn:${name}`, () =>
      change.services.kernel.features.turnToPlan(change.siblings, change.id, plan),
    );
    const outcome = claimed.length > 0 ? claimedByEarlier(change, claimed) : await submit(change, name, plan);
    if (outcome.ok) return outcome;
    const ended = await arbitrate(change, name, { purpose: "submit", plan, failure: outcome.failure, waited: round - 1 });
    if (ended === "given up") return { ok: true, value: null };
    if (typeof ended === "object") return "revise" in ended ? { ok: false, failure: ended.revise } : { ok: true, value: ended.accepted };
  }
}

async function submit(change: ChangeRun, name: string, plan: Plan): Promise<OperationResult<Plan>> {
  const { kernel } = change.services;
  const contended = await holdLocks(change, `locks:${name}`, plan);
  // Under `block` the kernel queues the plan for the lock, too.
  if (contended !== null && kernel.configuration.policy.collision_policy === "reject") return { ok: false, failure: contended };
  const input = { feature_id: change.id, plan_json: plan };
  const { revises } = change;
  return performAs(change, {
    role: "planner",
    output: revises === null ? "PLAN_SUBMISSION" : "PLAN_REVISION",
    step: CHANGE_STEPS.plan.named(name),
    returned: ["collision_detected", "blocked_by_collision_policy"],
    body: (call) =>
      revises === null
        ? kernel.features.submitPlan(call, input)
        : kernel.features.updatePlan(call, { ...input, expected_plan_version: revises }),
  });
}

/** What an earlier feature of the run waits to do counts like a plan: whoever comes later does not overtake it. */
function claimedByEarlier({ services, id }: ChangeRun, claimed: readonly OwnedClaim[]): { ok: false; failure: Failure } {
  const report = reportOn(id, claimed);
  const { policy } = services.kernel.configuration;
  if (report === null) throw new TypeError("Nothing is claimed.");
  return { ok: false, failure: toFailure(collisionError(id, report, { ...policy, collision_policy: "reject" })) };
}
