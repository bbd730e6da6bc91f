import type { WebSearch } from "@slipway/agents/web-search/web-search";
import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDispatcher } from "../../dispatch/dispatcher.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { Invoker } from "../../dispatch/pauses.ts";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import type { EngineeringStore } from "../engineering/ports.ts";
import type { RebuildPlan } from "../incremental/plan.ts";
import type { ProductSpec } from "./spec.ts";
import type { ToolPorts } from "./tools/perform.ts";

export interface ProductServices {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly webSearch: WebSearch | null;
  readonly searchCodeIndex: ToolPorts["searchCodeIndex"];
  readonly readRepository: ReadFile;
  readonly keepContextPack: EngineeringStore["keepContextPack"];
  /** What an edited spec keeps and rebuilds of an existing project. */
  readonly rebuildPlan: (projectId: string, spec: ProductSpec) => Promise<RebuildPlan>;
}

/** One product in progress. */
export interface ProductRun extends Invoker {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly services: ProductServices;
}

export function productRun(ctx: Ctx, services: ProductServices, project: string): ProductRun {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const;
  const call = (step: string): Call => ({ actor, operationId: `${ctx.runId}/${step}` });
  return {
    ctx,
    services,
    kernel: services.kernel,
    dispatcher: services.dispatcher,
    subject: project,
    about: { project },
    givingUp: "end the product loop; the spec stays unapproved",
    call,
    operate: (step, body) => ctx.step(step, () => body(call(step))),
    giveUp: (_name, comment) => Promise.reject(new GivenUp(project, comment)),
  };
}
