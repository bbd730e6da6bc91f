import type { WebSearch } from "@slipway/agents/web-search/web-search";
import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDesk } from "../../desk.ts";
import { GivenUp } from "../../given-up.ts";
import type { Waiting } from "../../pausing.ts";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import type { EngineeringStore } from "../engineering/ports.ts";
import type { RebuildPlan } from "../incremental/plan.ts";
import type { ProductSpec } from "./spec.ts";
import type { ToolPorts } from "./tools/perform.ts";

/** What the product loop works with. */
export interface ProductShop {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly webSearch: WebSearch | null;
  readonly searchCodeIndex: ToolPorts["searchCodeIndex"];
  readonly readRepository: ReadFile;
  readonly keepContextPack: EngineeringStore["keepContextPack"];
  /** What an edited spec makes of a project that is there. */
  readonly rebuildPlan: (projectId: string, spec: ProductSpec) => Promise<RebuildPlan>;
}

/** Where one product is worked on. */
export interface ProductSite extends Waiting {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly shop: ProductShop;
}

export function productSite(ctx: Ctx, shop: ProductShop, project: string): ProductSite {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const;
  const call = (step: string): Call => ({ actor, operationId: `${ctx.runId}/${step}` });
  return {
    ctx,
    shop,
    kernel: shop.kernel,
    desk: shop.desk,
    subject: project,
    about: { project },
    givingUp: "end the product loop; the spec stays unapproved",
    call,
    operate: (step, body) => ctx.step(step, () => body(call(step))),
    giveUp: (_name, comment) => Promise.reject(new GivenUp(project, comment)),
  };
}
