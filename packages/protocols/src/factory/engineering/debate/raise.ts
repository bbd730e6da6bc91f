import { digestOf } from "@slipway/durable/canonical";
import type { InterfaceChange } from "../interface-change.ts";
import { contribute, type Played } from "../record.ts";
import { TASK_STEPS } from "../../steps.ts";
import type { TaskRun } from "../task-run.ts";

export type RaiseOutcome =
  | { readonly ok: true; readonly raised: InterfaceChange; readonly exception_id: string }
  /** Refused; nothing has changed. */
  | { readonly ok: false; readonly problem: string };

export interface RaisedBy {
  readonly played: Pick<Played<unknown>, "by" | "contextPack">;
  /** The artifact that needs the change. */
  readonly artifact_ref: string;
}

/** Raises an interface change exception. The exception store decides who may raise it, and when. */
export async function raise(
  run: TaskRun,
  step: string,
  { played, artifact_ref }: RaisedBy,
  change: InterfaceChange,
): Promise<RaiseOutcome> {
  const raised_by = { artifact_ref, ...played.by };
  const outcome = await run.keep(TASK_STEPS.exception.named(step), (call) => run.services.exceptions.raise(call, { ...change, raised_by }));
  if (outcome.ok) return { ok: true, raised: change, exception_id: outcome.exception_id };
  return { ok: false, problem: `The interface change exception was refused: ${outcome.problems.join("; ")}` };
}

/** Records the contribution of an invocation that raised an exception, or tried to. */
export function contributeRaised(
  run: TaskRun,
  step: string,
  { by, contextPack }: RaisedBy["played"],
  type: "IMPLEMENTATION" | "CHALLENGE",
  change: InterfaceChange,
  outcome: RaiseOutcome,
) {
  return contribute(run, step, by, contextPack, type, outcome.ok ? outcome.exception_id : `refused:${digestOf(change)}`);
}
