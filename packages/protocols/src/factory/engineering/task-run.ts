import type { Ctx } from "@slipway/durable/ctx";
import type { StepName } from "@slipway/durable/step-name";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { AgentDispatcher } from "../../dispatch/dispatcher.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { Invoker } from "../../dispatch/pauses.ts";
import type { EngineeringServices, EngineeringTask } from "./ports.ts";

/** One task in progress. */
export interface TaskRun extends Omit<Invoker, "kernel"> {
  readonly kernel: EngineeringServices["kernel"];
  readonly dispatcher: AgentDispatcher;
  readonly services: EngineeringServices;
  readonly task: EngineeringTask;
  /** Runs a step whose operation has the same name. */
  readonly keep: <T>(step: string | StepName<T>, body: (call: Call) => Promise<T>) => Promise<T>;
}

export function taskRun(ctx: Ctx, services: EngineeringServices, task: EngineeringTask): TaskRun {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const;
  const call = (step: string): Call => ({ actor, operationId: `${ctx.runId}/${step}` });
  const keep = <T>(step: string | StepName<T>, body: (call: Call) => Promise<T>) => ctx.step(step, () => body(call(step)));
  return {
    ctx,
    services,
    task,
    kernel: services.kernel,
    dispatcher: services.dispatcher,
    subject: task.task_id,
    about: { task_id: task.task_id },
    givingUp: "end this task; modules it has shipped stay shipped",
    call,
    keep,
    operate: keep,
    giveUp: (_name, comment) => Promise.reject(new GivenUp(task.task_id, comment)),
  };
}
