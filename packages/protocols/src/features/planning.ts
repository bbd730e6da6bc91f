import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { Start, Tried } from "./phase.ts";
import type { Site } from "./site.ts";
import { submitInTurn } from "./submission.ts";
import { askWorker, INSTRUCTIONS } from "./worker.ts";

/** The planner proposes, the kernel checks. A refused plan is the next attempt's input. Null when a person has given the feature up. */
export async function planOnce(site: Site, start: Start): Promise<Tried<Plan | null>> {
  const answered = await askWorker(site, {
    role: "planner",
    ...start,
    ...(site.revises === null ? {} : { instructions: again(site.revises) }),
  });
  if (!answered.ok) return answered;
  return submitInTurn(site, start.attempt, answered.value.plan);
}

/** A retry from the plan: the old one stays in the record, so the new one is its revision. Nothing is built any more. */
function again(version: number): string {
  return `${INSTRUCTIONS.planner} An earlier attempt at it has ended and what it built is put aside. Your plan takes the place of its plan: plan_version ${version + 1}, revision_of ${version}, and revision_reason.`;
}
