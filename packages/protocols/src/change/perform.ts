import { SlipwayError } from "@slipway/agents/errors";
import { fromFailure, toFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import { isStorageFailure, recordable } from "@slipway/durable/failures";
import type { StepName } from "@slipway/durable/step-name";
import type { Call } from "@slipway/kernel/record/operations/call";
import { GivenUp } from "../dispatch/given-up.ts";
import { nextActions } from "../dispatch/pauses.ts";
import { askAboutEdits } from "./ask-about-edits.ts";
import { endFeature } from "./end-feature.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import { orchestratorCall, type OperationResult, type ChangeRun } from "./change-run.ts";

type Body<T> = (call: Call, signal: AbortSignal) => Promise<T>;

interface Options {
  /** Error codes that the caller handles itself. */
  readonly returned?: readonly ErrorCode[];
  /** The same for failures that the code alone does not identify. */
  readonly handles?: (failure: Failure) => boolean;
  /** The actor of the call; the orchestrator by default. */
  readonly as?: (change: ChangeRun, step: string) => Call;
  /** Ask a person about every failure, not only about those that always need one. */
  readonly asksAlways?: boolean;
}

/** Tries of a retryable failure before a person is asked. */
const MAX_TRIES = 3;

/**
 * Performs an operation as a step. A refusal by a rule is returned. If only a person can fix the failure (no sandbox, a file in
 * the way), or it is unexpected (git failed), a person is asked; the step is then repeated under a new name, or the feature
 * ends. If the person edited the worktree, they decide whether the edits are adopted or set aside.
 */
export async function perform<T>(
  change: ChangeRun,
  name: string | StepName<OperationResult<T>>,
  body: Body<T>,
  options: Options = {},
): Promise<OperationResult<T>> {
  const { returned = [], handles = () => false, as = orchestratorCall, asksAlways = false } = options;
  for (let round = 1, tries = 1; ; round++) {
    const step = round === 1 ? name : `${name}~${round}`;
    const outcome = await change.ctx.step(step, (signal) => outcomeOf(body(as(change, step), signal), signal));
    if (outcome.ok) return outcome;
    const { failure } = outcome;
    const { code, details } = failure;
    // The feature was deleted: there is nothing to fix.
    if (code === "feature_not_found") throw fromFailure(failure);
    if (returned.includes(code) || handles(failure)) return outcome;
    if (code === "worktree_edited") {
      await decideEdits(change, step, failure);
      continue;
    }
    if (details["retryable"] === true && details["requires_human"] !== true && tries++ < MAX_TRIES) continue;
    const asks = asksAlways || details["requires_human"] === true || details["retryable"] === true || UNFORESEEN.has(code);
    if (!asks) return outcome;
    tries = 1;
    const answer = await change.ctx.ask(`mend:${step}`, repairQuestion(change.id, failure));
    if (answer.decision === "retry") continue;
    const end = `give-up:${step}`;
    const reason = answer.comment ?? "given up by a person";
    await change.ctx.step(end, () => endFeature(change.services.kernel, orchestratorCall(change, end), change.id, reason));
    throw new GivenUp(change.id);
  }
}

/** Like `perform`, where a refusal would be a bug: throws it. */
export async function mustPerform<T>(
  change: ChangeRun,
  name: string | StepName<OperationResult<T>>,
  body: Body<T>,
  options: Options = {},
): Promise<T> {
  const outcome = await perform(change, name, body, options);
  if (outcome.ok) return outcome.value;
  throw fromFailure(outcome.failure);
}

async function decideEdits(change: ChangeRun, step: string, failure: Failure): Promise<void> {
  const { features } = change.services.kernel;
  const decision = await askAboutEdits(change, `edited:${step}`, failure);
  const work = decision === "adopt" ? features.adopt : features.setAside;
  await mustPerform(change, `${decision}:${step}`, async (call): Promise<object> => work(call, { feature_id: change.id }), {
    asksAlways: true,
  });
}

async function outcomeOf<T>(work: Promise<T>, signal: AbortSignal): Promise<OperationResult<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (signal.aborted || isStorageFailure(error)) throw error;
    if (error instanceof SlipwayError && NEVER_A_VALUE.has(error.code)) throw error;
    return { ok: false, failure: recordable(toFailure(error)) };
  }
}

/** Thrown, so that they are not recorded as a result: another process has the lease, or the run was stopped. */
const NEVER_A_VALUE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["lease_lost", "run_cancelled", "run_stopped"]);

/** Unexpected failures: a person is asked, because ending the feature would discard its work. */
const UNFORESEEN: ReadonlySet<string> = new Set<ErrorCode>(["git_failed", "internal_error", "object_missing", "object_corrupt"]);

export function repairQuestion(id: string, failure: Failure) {
  return {
    kind: "mend",
    title: `${id} cannot continue: ${failure.code}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "try again (the problem is fixed)" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: retryAnswer,
    context: { feature_id: id, code: failure.code },
  };
}
