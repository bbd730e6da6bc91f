import type { Plan } from "@slipway/kernel/change/plan/schema";
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
  return submitInTurn(change, start.attempt, answered.value.plan);
}

/** For a retry from the planning phase: the old plan stays recorded, so the new one is a revision of it. */
function replanInstructions(version: number): string {
  return `${INSTRUCTIONS.planner} An earlier attempt has ended, and what it built was set aside. Your plan replaces its plan: plan_version ${version + 1}, revision_of ${version}, and revision_reason.`;
}
