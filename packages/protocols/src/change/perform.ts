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
  /** Codes the caller deals with itself, whatever they mean elsewhere. */
  readonly returned?: readonly ErrorCode[];
  /** The same for failures that a code does not tell apart. */
  readonly handles?: (failure: Failure) => boolean;
  /** On whose behalf; the orchestrator's unless somebody else is named. */
  readonly as?: (change: ChangeRun, step: string) => Call;
  /** Every broken rule is a person's to mend, not only those that are so everywhere. */
  readonly asksAlways?: boolean;
}

/** How often what may pass by itself is tried, before a person is asked. */
const TRIES = 3;

/**
 * An operation as a step. A broken rule comes back as a value. Trouble that only a person can mend (no sandbox, a file in
 * the way), and what nobody foresaw (git gave way), is asked, and then the step is done again under a new name; or the person
 * gives the feature up, which ends it. What a person has edited by hand is asked about, too, and taken over or set aside.
 */
export async function perform<T>(
  change: ChangeRun,
  name: string | StepName<OperationResult<T>>,
  body: Body<T>,
  options: Options = {},
): Promise<OperationResult<T>> {
  const { returned = [], handles = () => false, as = orchestratorCall, asksAlways = false } = options;
  for (let round = 1, passing = 1; ; round++) {
    const step = round === 1 ? name : `${name}~${round}`;
    const outcome = await change.ctx.step(step, (signal) => outcomeOf(body(as(change, step), signal), signal));
    if (outcome.ok) return outcome;
    const { failure } = outcome;
    const { code, details } = failure;
    // Somebody has deleted the feature: there is nothing to mend.
    if (code === "feature_not_found") throw fromFailure(failure);
    if (returned.includes(code) || handles(failure)) return outcome;
    if (code === "worktree_edited") {
      await decideEdits(change, step, failure);
      continue;
    }
    if (details["retryable"] === true && details["requires_human"] !== true && passing++ < TRIES) continue;
    const asks = asksAlways || details["requires_human"] === true || details["retryable"] === true || UNFORESEEN.has(code);
    if (!asks) return outcome;
    passing = 1;
    const answer = await change.ctx.ask(`mend:${step}`, repairQuestion(change.id, failure));
    if (answer.decision === "retry") continue;
    const end = `give-up:${step}`;
    const reason = answer.comment ?? "given up by a person";
    await change.ctx.step(end, () => endFeature(change.services.kernel, orchestratorCall(change, end), change.id, reason));
    throw new GivenUp(change.id);
  }
}

/** The same where a broken rule would be a bug of ours. */
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

/** These end the step, not the attempt: somebody else's turn, a stop. */
const NEVER_A_VALUE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["lease_lost", "run_cancelled", "run_stopped"]);

/** No rule says what to do about these; ending the feature for them would throw its work away. */
const UNFORESEEN: ReadonlySet<string> = new Set<ErrorCode>(["git_failed", "internal_error", "object_missing", "object_corrupt"]);

export function repairQuestion(id: string, failure: Failure) {
  return {
    kind: "mend",
    title: `${id} cannot go on: ${failure.code}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "it is mended: try again" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: retryAnswer,
    context: { feature_id: id, code: failure.code },
  };
}
