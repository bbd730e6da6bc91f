import type { Rooms } from "../../feature/dependencies.ts";
import type { Plan } from "../../plan/schema.ts";
import { statusNow, type Sibling } from "./standings.ts";
import { endOf, endOfQueueing, turnToLand, turnToPlan } from "./turns.ts";

/** What a feature of a run looks at to know whether it may go on. None of it changes anything. */
export function waitReads(rooms: Rooms) {
  return {
    standing: (id: string) => statusNow(rooms, id),
    turnToPlan: (run: readonly Sibling[], id: string, plan: Plan) => turnToPlan(rooms, run, id, plan),
    endOf: (run: readonly Sibling[], blockers: readonly string[]) => endOf(rooms, run, blockers),
    endOfQueueing: (run: readonly Sibling[], id: string, blockers: readonly string[]) => endOfQueueing(rooms, run, id, blockers),
    turnToLand: (run: readonly Sibling[], id: string) => turnToLand(rooms, run, id),
  };
}
