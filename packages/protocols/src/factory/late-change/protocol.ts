import { workflow, type Ctx } from "@slipway/durable/ctx";
import { toFailure } from "@slipway/durable/errors";
import type { RunAgents } from "../../dispatch/run-agents.ts";
import { interfaceChange } from "./change-module.ts";
import { RELAXED } from "../durability.ts";
import type { EngineeringTask } from "../engineering/ports.ts";
import type { Escalation } from "../escalation/schema.ts";
import { decisionLogKind, noted, type ExceptionStatus } from "../exceptions/decisions.ts";
import type { FactoryServices } from "../services.ts";
import { projectRun } from "../project-run.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const LATE_CHANGE_VERSION = "1";

export interface LateChangeInput {
  readonly agents?: RunAgents;
  readonly exception_id: string;
  readonly task: EngineeringTask;
  /** Who approves it, and why. */
  readonly by: string;
  readonly note: string;
}

export type LateChangeResult =
  | { readonly status: "changed"; readonly exception_id: string; readonly module_ref: string }
  | { readonly status: "not_changed"; readonly exception_id: string; readonly reason: string };

/** A deferred exception, approved after its task was resolved otherwise: debated, built and shipped like any other. */
export const lateChange = workflow<LateChangeInput, LateChangeResult, FactoryServices>(
  "factory-late-change",
  LATE_CHANGE_VERSION,
  changeLate,
  RELAXED,
);

async function changeLate(
  ctx: Ctx,
  { exception_id, task, by, note }: LateChangeInput,
  services: FactoryServices,
): Promise<LateChangeResult> {
  await services.prepare();
  const run = projectRun(ctx, services);
  const log = async (status: ExceptionStatus, text: string) => {
    const at = await run.moment(`at:${status}`);
    await run.keep(status, async (call) => {
      const line = { status, at, by, note: text };
      await services.documents.revise(call, decisionLogKind, exception_id, line, (saved) => noted(saved, line));
      return null;
    });
  };
  await log("APPROVED", note);
  const result = await ctx.child("new-version:1", interfaceChange, { exception_id, task }).catch((error: unknown) => {
    const { code, message } = toFailure(error);
    return { status: "failed" as const, reason: `${code}: ${message}` };
  });
  if (result.status === "failed") {
    await log("NOT_AGREED", result.reason);
    return { status: "not_changed", exception_id, reason: result.reason };
  }
  await log("RESOLVED", result.module_ref);
  return { status: "changed", exception_id, module_ref: result.module_ref };
}

/** The fields of the halted task that a contract change needs, from its escalation: the project may have changed since. */
export function taskThatHalted({ task_id, task_ref, state_machine_snapshot }: Escalation): EngineeringTask {
  return {
    task_id,
    task_ref: `${task_id}@1.0.0`,
    pillar: state_machine_snapshot.tasks[task_id]?.pillar ?? "",
    task_path: task_ref,
    task_file: "",
    acceptance_criteria: [],
    dependencies: [],
  };
}
