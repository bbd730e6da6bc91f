import type { Plan } from "@slipway/kernel/change/plan/schema";
import { arbitrate } from "./arbitrate.ts";
import type { ChangeRun, OperationResult } from "./change-run.ts";
import { performAs } from "./firewall.ts";
import { holdLocks } from "./locks.ts";
import { CHANGE_STEPS } from "./steps.ts";

/** Replaces the accepted plan by a revision of it. A collision waits for an earlier feature of the run or is returned as a refusal. */
export async function revisePlan(
  change: ChangeRun,
  name: string,
  plan: Plan,
  expected_plan_version: number,
): Promise<OperationResult<Plan>> {
  for (let round = 1; ; round++) {
    const step = round === 1 ? name : `${name}-${round}`;
    const contended = await holdLocks(change, `locks:${step}`, plan);
    const outcome: OperationResult<Plan> =
      contended === null
        ? await performAs(change, {
            role: "planner",
            output: "PLAN_REVISION",
            step: CHANGE_STEPS.plan.named(step),
            returned: ["collision_detected", "blocked_by_collision_policy"],
            body: (call) =>
              change.services.kernel.features.updatePlan(call, { feature_id: change.id, expected_plan_version, plan_json: plan }),
          })
        : { ok: false, failure: contended };
    if (outcome.ok) return outcome;
    const ruling = await arbitrate(change, step, { purpose: "update", plan, failure: outcome.failure, waited: round - 1 });
    if (typeof ruling === "object")
      return "revise" in ruling ? { ok: false, failure: ruling.revise } : { ok: true, value: ruling.accepted };
    if (ruling === "given up") return outcome;
  }
}
