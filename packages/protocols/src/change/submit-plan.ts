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
 * Submits a plan once every earlier feature of the run has its plan, and arbitrates collisions. Waiting does not count as an
 * attempt of the planner: afterwards the same plan is submitted again on the updated base. The value is null if a person gave the
 * feature up.
 */
export async function submitInTurn(change: ChangeRun, number: string, plan: Plan): Promise<OperationResult<Plan | null>> {
  for (let round = 1; ; round++) {
    const name = round === 1 ? number : `${number}-${round}`;
    const { claimed } = await change.ctx.until(`turn:${name}`, () =>
      change.services.kernel.features.turnToPlan(change.siblings, change.id, plan),
    );
    const outcome = claimed.length > 0 ? claimedByEarlier(change, claimed) : await submit(change, name, plan);
    if (outcome.ok) return outcome;
    const ruling = await arbitrate(change, name, { purpose: "submit", plan, failure: outcome.failure, waited: round - 1 });
    if (ruling === "given up") return { ok: true, value: null };
    if (typeof ruling === "object")
      return "revise" in ruling ? { ok: false, failure: ruling.revise } : { ok: true, value: ruling.accepted };
  }
}

async function submit(change: ChangeRun, name: string, plan: Plan): Promise<OperationResult<Plan>> {
  const { kernel } = change.services;
  const contended = await holdLocks(change, `locks:${name}`, plan);
  // Under `block` the kernel queues the plan until the lock is free.
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

/** The pending claims of an earlier feature count like an accepted plan, so that a later feature cannot overtake it. */
function claimedByEarlier({ services, id }: ChangeRun, claimed: readonly OwnedClaim[]): { ok: false; failure: Failure } {
  const report = reportOn(id, claimed);
  const { policy } = services.kernel.configuration;
  if (report === null) throw new TypeError("Nothing is claimed.");
  return { ok: false, failure: toFailure(collisionError(id, report, { ...policy, collision_policy: "reject" })) };
}
