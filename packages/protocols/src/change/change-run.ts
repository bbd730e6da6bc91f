import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Sibling } from "@slipway/kernel/change/turn/turns/sibling-statuses";
import type { WorkerRole } from "./worker-role.ts";
import type { ChangeServices } from "./services.ts";

/** One feature in progress: its run, its services and its siblings. */
export interface ChangeRun {
  readonly ctx: Ctx;
  readonly services: ChangeServices;
  readonly id: string;
  /** Every feature of the run in the order of its specifications, this one among them. */
  readonly siblings: readonly Sibling[];
  /** The version of the accepted plan that the next plan replaces; null for a first plan. */
  readonly revises: number | null;
}

export type OperationResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** One session for the whole run. It asks the questions. */
export function orchestratorSession({ ctx }: ChangeRun): string {
  return `orchestrator@${ctx.runId.split("/")[0]}`;
}

/** Bound to one feature and role; QA has a new one for each batch. */
export function workerSession({ ctx }: ChangeRun, role: WorkerRole, batch?: string): string {
  return `${role}${batch === undefined ? "" : `-${batch}`}@${ctx.runId}`;
}

/** The operation id is made of run and step name, so repeating a step has no second effect. */
export function orchestratorCall(change: ChangeRun, step: string): Call {
  return { actor: { type: "orchestrator", id: orchestratorSession(change) }, operationId: `${change.ctx.runId}/${step}` };
}

export function workerCall(change: ChangeRun, step: string, role: WorkerRole, session: string): Call {
  return { actor: { type: role, id: session }, operationId: `${change.ctx.runId}/${step}` };
}
