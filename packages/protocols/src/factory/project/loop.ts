import { z } from "zod";
import type { Change } from "./changes.ts";
import type { Decision } from "./status.ts";
import { escalationRefSchema, moduleRefSchema } from "./state.ts";

/** All that comes back from the engineering loop; whatever else it knows stays there. */
export const outcomeSchema = z.discriminatedUnion("result", [
  z.strictObject({ result: z.literal("SHIPPED"), module_refs: z.array(moduleRefSchema).min(1) }),
  z.strictObject({ result: z.literal("HALTED"), reason: z.string().regex(/\S/), escalation_ref: escalationRefSchema }),
]);
export type Outcome = z.output<typeof outcomeSchema>;

/** What an outcome does to the state machine. */
export function changeFor(task: string, outcome: Outcome, at: string): Change {
  if (outcome.result === "SHIPPED") return { kind: "ship", task, module_refs: outcome.module_refs, at };
  return { kind: "halt", task, reason: outcome.reason, escalation_ref: outcome.escalation_ref };
}

/** The steps of the project loop, each durable where it is carried out. `S` is what they remember from one turn to the next. */
export interface ProjectSteps<S> {
  readonly init_state_machine: () => Promise<S>;
  /** What to do now; a task that it names has been started. */
  readonly dispatch: (turn: number) => Promise<Decision>;
  /** Gets the task's file and nothing else of the project. */
  readonly engineering: (state: S, task: string, turn: number) => Promise<{ readonly outcome: unknown; readonly state: S }>;
  readonly update_state_machine: (state: S, task: string, outcome: Outcome, turn: number) => Promise<S>;
  /** Waits, durably, until a person has answered what stands in the way. */
  readonly waitForPerson: (state: S, decision: Extract<Decision, { kind: "halted" | "blocked" }>, turn: number) => Promise<S>;
}

/** Until every task is SHIPPED or ABANDONED. Turns are counted so that each step has a name of its own. */
export async function projectLoop<S>(steps: ProjectSteps<S>): Promise<void> {
  let state = await steps.init_state_machine();
  for (let turn = 1; ; turn++) {
    const decision = await steps.dispatch(turn);
    switch (decision.kind) {
      case "complete":
        return;
      case "halted":
      case "blocked":
        state = await steps.waitForPerson(state, decision, turn);
        continue;
      case "start":
      case "continue": {
        const ended = await steps.engineering(state, decision.task, turn);
        state = await steps.update_state_machine(ended.state, decision.task, outcomeSchema.parse(ended.outcome), turn);
      }
    }
  }
}
