import { fromFailure, SlipwayError, toFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import { isStorageFailure } from "@slipway/durable/failures";
import type { Call } from "@slipway/kernel/features/call";
import { GivenUp } from "../given-up.ts";
import { nextActions } from "../pausing.ts";
import { endFeature } from "./ending.ts";
import { blockedAnswer } from "./schemas.ts";
import { orchestratorCall, type Outcome, type Site } from "./site.ts";

type Body<T> = (call: Call, signal: AbortSignal) => Promise<T>;

interface Options {
  /** Codes the caller deals with itself, whatever they mean elsewhere. */
  readonly returned?: readonly ErrorCode[];
  /** On whose behalf; the orchestrator's unless somebody else is named. */
  readonly as?: (site: Site, step: string) => Call;
  /** Every broken rule is a person's to mend, not only those that are so everywhere. */
  readonly asksAlways?: boolean;
}

/**
 * An operation as a step. A broken rule comes back as a value. Trouble that only a person can mend (no sandbox, a file in
 * the way) is asked, and then the step is done again under a new name; or the person gives the feature up, which ends it.
 */
export async function attempt<T>(site: Site, name: string, body: Body<T>, options: Options = {}): Promise<Outcome<T>> {
  const { returned = [], as = orchestratorCall, asksAlways = false } = options;
  for (let round = 1; ; round++) {
    const step = round === 1 ? name : `${name}~${round}`;
    const outcome = await site.ctx.step(step, (signal) => outcomeOf(body(as(site, step), signal), returned));
    if (outcome.ok) return outcome;
    // Somebody has deleted the feature: there is nothing to mend.
    if (outcome.failure.code === "feature_not_found") throw fromFailure(outcome.failure);
    const asks = asksAlways || outcome.failure.details["requires_human"] === true;
    if (!asks || returned.includes(outcome.failure.code)) return outcome;
    const answer = await site.ctx.ask(`mend:${step}`, mendQuestion(site.id, outcome.failure));
    if (answer.decision === "retry") continue;
    const end = `give-up:${step}`;
    const reason = answer.comment ?? "given up by a person";
    await site.ctx.step(end, () => endFeature(site.shop.kernel, orchestratorCall(site, end), site.id, reason));
    throw new GivenUp(site.id);
  }
}

/** The same where a broken rule would be a bug of ours. */
export async function certain<T>(site: Site, name: string, body: Body<T>, options: Options = {}): Promise<T> {
  const outcome = await attempt(site, name, body, options);
  if (outcome.ok) return outcome.value;
  throw fromFailure(outcome.failure);
}

async function outcomeOf<T>(work: Promise<T>, returned: readonly ErrorCode[]): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!(error instanceof SlipwayError) || isStorageFailure(error) || NEVER_A_VALUE.has(error.code)) throw error;
    if (error.details.retryable && !returned.includes(error.code)) throw error;
    return { ok: false, failure: toFailure(error) };
  }
}

/** These end the step, not the attempt: a bug, somebody else's turn, a stop. */
const NEVER_A_VALUE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["internal_error", "lease_lost", "run_cancelled", "run_stopped"]);

function mendQuestion(id: string, failure: Failure) {
  return {
    kind: "mend",
    title: `${id} cannot go on: ${failure.code}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "it is mended: try again" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: blockedAnswer,
    context: { feature_id: id, code: failure.code },
  };
}
