import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { Start, Tried } from "../change/phase.ts";
import type { ChangeRun } from "../change/change-run.ts";
import { submitInTurn } from "../change/submit-plan.ts";
import { askWorker, INSTRUCTIONS } from "./worker.ts";

/** The planner proposes, the kernel checks. A refused plan is the next attempt's input. Null when a person has given the feature up. */
export async function planOnce(change: ChangeRun, start: Start): Promise<Tried<Plan | null>> {
  const answered = await askWorker(change, {
    role: "planner",
    ...start,
    ...(change.revises === null ? {} : { instructions: again(change.revises) }),
  });
  if (!answered.ok) return answered;
  return submitInTurn(change, start.attempt, answered.value.plan);
}

/** A retry from the plan: the old one stays in the record, so the new one is its revision. Nothing is built any more. */
function again(version: number): string {
  return `${INSTRUCTIONS.planner} An earlier attempt at it has ended and what it built is put aside. Your plan takes the place of its plan: plan_version ${version + 1}, revision_of ${version}, and revision_reason.`;
}
