import type { Plan } from "@slipway/kernel/plans/schema";
import type { Start, Tried } from "./phase.ts";
import type { Site } from "./site.ts";
import { submitInTurn } from "./submission.ts";
import { askWorker } from "./worker.ts";

/** The planner proposes, the kernel checks. A refused plan is the next attempt's input. Null when a person has given the feature up. */
export async function planOnce(site: Site, start: Start): Promise<Tried<Plan | null>> {
  const answered = await askWorker(site, { role: "planner", ...start });
  if (!answered.ok) return answered;
  return submitInTurn(site, start.attempt, answered.value.plan);
}
