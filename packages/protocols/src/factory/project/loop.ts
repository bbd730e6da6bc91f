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

/** The steps of the project loop, each durable where it is carried out. */
export interface ProjectSteps {
  readonly init_state_machine: () => Promise<void>;
  /** What to do now; a task that it names has been started. */
  readonly dispatch: (turn: number) => Promise<Decision>;
  /** Gets the task's file and nothing else of the project. */
  readonly engineering: (task: string, turn: number) => Promise<unknown>;
  readonly update_state_machine: (task: string, outcome: Outcome, turn: number) => Promise<void>;
  /** Waits, durably, until a person has answered what stands in the way. */
  readonly waitForPerson: (decision: Extract<Decision, { kind: "halted" | "blocked" }>, turn: number) => Promise<void>;
}

/** Until every task is SHIPPED or ABANDONED. Turns are counted so that each step has a name of its own. */
export async function projectLoop(steps: ProjectSteps): Promise<void> {
  await steps.init_state_machine();
  for (let turn = 1; ; turn++) {
    const decision = await steps.dispatch(turn);
    switch (decision.kind) {
      case "complete":
        return;
      case "halted":
      case "blocked":
        await steps.waitForPerson(decision, turn);
        continue;
      case "start":
      case "continue":
        await steps.update_state_machine(decision.task, outcomeSchema.parse(await steps.engineering(decision.task, turn)), turn);
    }
  }
}
