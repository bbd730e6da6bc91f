import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { AgentDesk } from "../../desk.ts";
import { GivenUp } from "../../given-up.ts";
import type { Waiting } from "../../pausing.ts";
import type { EngineeringShop, EngineeringTask } from "./ports.ts";

/** Where one task is worked on. */
export interface EngineeringSite extends Omit<Waiting, "kernel"> {
  readonly kernel: EngineeringShop["kernel"];
  readonly desk: AgentDesk;
  readonly shop: EngineeringShop;
  readonly task: EngineeringTask;
  /** Something that is kept: a step with an operation of the same name. */
  readonly keep: <T>(step: string, body: (call: Call) => Promise<T>) => Promise<T>;
}

export function engineeringSite(ctx: Ctx, shop: EngineeringShop, task: EngineeringTask): EngineeringSite {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const;
  const call = (step: string): Call => ({ actor, operationId: `${ctx.runId}/${step}` });
  const keep = <T>(step: string, body: (call: Call) => Promise<T>) => ctx.step(step, () => body(call(step)));
  return {
    ctx,
    shop,
    task,
    kernel: shop.kernel,
    desk: shop.desk,
    subject: task.task_id,
    about: { task_id: task.task_id },
    givingUp: "end this task; what it has shipped stays shipped",
    call,
    keep,
    operate: keep,
    giveUp: (_name, comment) => Promise.reject(new GivenUp(task.task_id, comment)),
  };
}
