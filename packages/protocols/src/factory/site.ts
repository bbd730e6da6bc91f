import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { openProject, type Project } from "./project/project.ts";
import type { FactoryShop } from "./shop.ts";

/** Where a whole project is worked on. */
export interface FactorySite {
  readonly ctx: Ctx;
  readonly shop: FactoryShop;
  /** A step with operations of its name. */
  readonly keep: <T>(step: string, body: (call: Call) => Promise<T>) => Promise<T>;
  /** A moment that is remembered: what is kept with it is the same however often it is done. */
  readonly moment: (step: string) => Promise<string>;
  /** The project of this run. Only within a step: it is what it is now. */
  readonly project: () => Promise<Project>;
}

export function factorySite(ctx: Ctx, shop: FactoryShop): FactorySite {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const;
  let opened: Project | null = null;
  return {
    ctx,
    shop,
    keep: (step, body) => ctx.step(step, () => body({ actor, operationId: `${ctx.runId}/${step}` })),
    moment: (step) => ctx.step(step, async () => new Date(shop.kernel.clock.now()).toISOString()),
    async project() {
      opened ??= await openProject(shop.room);
      if (opened?.id === ctx.runId && (await opened.refresh())) return opened;
      throw new SlipwayError("operation_conflict", `The project of run ${ctx.runId} is not the one at work any more.`, {
        run_id: ctx.runId,
        project_id: opened?.id ?? null,
        suggested_next_actions: [`End it: \`slipway stop ${ctx.runId} --cancel\`, and begin a new run from its SPEC.md.`],
      });
    },
  };
}
