import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { SubmittedPlan } from "./schemas.ts";
import type { AttemptResult, Start } from "../change/phase.ts";
import type { ChangeRun } from "../change/change-run.ts";
import { submitInTurn } from "../change/submit-plan.ts";
import { askWorker, INSTRUCTIONS } from "./worker.ts";

/** The planner proposes a plan and the kernel checks it. The next attempt sees the refusal. The value is null if a person gave up. */
export async function planOnce(change: ChangeRun, start: Start): Promise<AttemptResult<Plan | null>> {
  const answered = await askWorker(change, {
    role: "planner",
    ...start,
    ...(change.revises === null ? {} : { instructions: replanInstructions(change.revises) }),
  });
  if (!answered.ok) return answered;
  return submitInTurn(change, start.attempt, completePlan(change, answered.value.plan, change.revises));
}

/** Fills in what the harness knows itself. `revises` is the version that the plan replaces. */
export function completePlan({ id, services }: ChangeRun, plan: SubmittedPlan, revises: number | null): Plan {
  return {
    ...plan,
    feature_id: plan.feature_id ?? id,
    plan_version: plan.plan_version ?? (revises ?? 0) + 1,
    base_ref: plan.base_ref ?? services.kernel.configuration.policy.worktree.base_branch,
    ...(revises === null ? {} : { revision_of: plan.revision_of ?? revises }),
  };
}

/** For a retry from the planning phase: the old plan stays recorded, so the new one is a revision of it. */
function replanInstructions(version: number): string {
  return `${INSTRUCTIONS.planner} An earlier attempt has ended, and what it built was set aside. Your plan replaces version ${version} of its plan; \`revision_reason\` says what is different.`;
}
