import type { FeatureDependencies } from "../../feature/dependencies.ts";
import type { Plan } from "../../plan/schema.ts";
import { statusNow, type Sibling } from "./sibling-statuses.ts";
import { endOf, endOfQueueing, turnToLand, turnToPlan } from "./turns.ts";

/** Reads by which a feature of a run decides whether it may continue. */
export function waitReads(dependencies: FeatureDependencies) {
  return {
    standing: (id: string) => statusNow(dependencies, id),
    turnToPlan: (run: readonly Sibling[], id: string, plan: Plan) => turnToPlan(dependencies, run, id, plan),
    endOf: (run: readonly Sibling[], blockers: readonly string[]) => endOf(dependencies, run, blockers),
    endOfQueueing: (run: readonly Sibling[], id: string, blockers: readonly string[]) => endOfQueueing(dependencies, run, id, blockers),
    turnToLand: (run: readonly Sibling[], id: string) => turnToLand(dependencies, run, id),
  };
}
