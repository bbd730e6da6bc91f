import { z } from "zod";
import type { TaskChange } from "./changes.ts";
import type { LoopDecision } from "./status.ts";
import { escalationRefSchema, moduleRefSchema } from "./state.ts";

/** The complete result of the engineering loop. */
export const outcomeSchema = z.discriminatedUnion("result", [
  z.strictObject({ result: z.literal("SHIPPED"), module_refs: z.array(moduleRefSchema).min(1) }),
  z.strictObject({ result: z.literal("HALTED"), reason: z.string().regex(/\S/), escalation_ref: escalationRefSchema }),
]);
export type LoopOutcome = z.output<typeof outcomeSchema>;

export function changeFor(task: string, outcome: LoopOutcome, at: string): TaskChange {
  if (outcome.result === "SHIPPED") return { kind: "ship", task, module_refs: outcome.module_refs, at };
  return { kind: "halt", task, reason: outcome.reason, escalation_ref: outcome.escalation_ref };
}

/** The steps of the project loop, each durable. `S` is the state they pass from one turn to the next. */
export interface ProjectSteps<S> {
  readonly init_state_machine: () => Promise<S>;
  /** Decides the next action; if it names a task, that task has been started. */
  readonly dispatch: (turn: number) => Promise<LoopDecision>;
  /** Gets the task's file and nothing else of the project. */
  readonly engineering: (state: S, task: string, turn: number) => Promise<{ readonly outcome: unknown; readonly state: S }>;
  readonly update_state_machine: (state: S, task: string, outcome: LoopOutcome, turn: number) => Promise<S>;
  /** Waits durably until a person has answered. */
  readonly waitForPerson: (state: S, decision: Extract<LoopDecision, { kind: "halted" | "blocked" }>, turn: number) => Promise<S>;
}

/** Runs until every task is SHIPPED or ABANDONED. The turn number makes step names unique. */
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
