import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { AttemptResult, LastAttempt } from "../change/phase.ts";
import { revisePlan } from "../change/revise-plan.ts";
import type { OperationResult, ChangeRun } from "../change/change-run.ts";
import { completePlan } from "./plan.ts";
import { askWorker, type WorkerDelivery } from "./worker.ts";

/** Tries of the planner for one request. */
const MAX_TRIES = 2;

/** A builder or QA needs more than the plan allows: the planner revises it and the kernel checks the revision. Returns the reply. */
export async function amendPlan(change: ChangeRun, step: string, wish: string): Promise<string> {
  let last: LastAttempt = { reply: `The worker at ${step.split(":")[0]} asks for another plan: ${wish}` };
  for (let number = 1; number <= MAX_TRIES; number++) {
    const attempt = `amend-${step.replace(":", "-")}.${number}`;
    const current = await change.ctx.step(`amend:${attempt}`, () => change.services.kernel.features.plan(change.id));
    const instructions = `Return a PLAN_SUBMISSION with the whole revised plan, which replaces version ${current.plan_version}; \`revision_reason\` says what is different. The plan must still allow what is already built.`;
    const answered: AttemptResult<WorkerDelivery<"planner">> = await askWorker(change, {
      role: "planner",
      attempt,
      last,
      show: [],
      instructions,
    });
    const updated: OperationResult<Plan> | { readonly ok: false; readonly reply: string } = answered.ok
      ? await revisePlan(change, attempt, completePlan(change, answered.value.plan, current.plan_version), current.plan_version)
      : answered;
    if (updated.ok) return `The plan was amended: version ${updated.value.plan_version} is now the accepted plan.`;
    last = "reply" in updated ? { reply: updated.reply } : { failure: updated.failure };
  }
  return `The plan was not changed. ${last !== null && "failure" in last ? `${last.failure.code}: ${last.failure.message}` : ""}`.trimEnd();
}
