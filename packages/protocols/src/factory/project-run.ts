import type { Ctx } from "@slipway/durable/ctx";
import type { StepName } from "@slipway/durable/step-name";
import { SlipwayError } from "@slipway/agents/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { openProject, type Project } from "./project/project.ts";
import type { FactoryServices } from "./services.ts";

/** One project in progress. */
export interface ProjectRun {
  readonly ctx: Ctx;
  readonly services: FactoryServices;
  /** Runs a step whose operations carry its name. */
  readonly keep: <T>(step: string | StepName<T>, body: (call: Call) => Promise<T>) => Promise<T>;
  /** A recorded time: a repeated step uses the same value. */
  readonly moment: (step: string) => Promise<string>;
  /** The project of this run in its current state; call it only inside a step. */
  readonly project: () => Promise<Project>;
}

export function projectRun(ctx: Ctx, services: FactoryServices): ProjectRun {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const;
  let opened: Project | null = null;
  return {
    ctx,
    services,
    keep: (step, body) => ctx.step(step, () => body({ actor, operationId: `${ctx.runId}/${step}` })),
    moment: (step) => ctx.step(step, async () => new Date(services.kernel.clock.now()).toISOString()),
    async project() {
      opened ??= await openProject(services.projectStore);
      if (opened?.id === ctx.runId && (await opened.refresh())) return opened;
      throw new SlipwayError("operation_conflict", `The project of run ${ctx.runId} was replaced by a newer one.`, {
        run_id: ctx.runId,
        project_id: opened?.id ?? null,
        suggested_next_actions: [`End it: \`slipway stop ${ctx.runId} --cancel\`, and begin a new run from its SPEC.md.`],
      });
    },
  };
}
