import type { Ctx } from "@slipway/durable/ctx";
import { fromFailure, SlipwayError, toFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import { isStorageFailure } from "@slipway/durable/failures";
import type { Call } from "@slipway/kernel/features/call";
import { z } from "zod";
import { callOf, type Outcome } from "./shop.ts";

type Body<T> = (call: Call, signal: AbortSignal) => Promise<T>;

/**
 * An operation as a step. A broken rule comes back as a value. Trouble that only a person can mend (no sandbox, a file in
 * the way) is asked, and then the step is done again under a new name; `returned` are codes the caller deals with itself.
 */
export async function attempt<T>(
  ctx: Ctx,
  id: string,
  name: string,
  body: Body<T>,
  returned: readonly ErrorCode[] = [],
): Promise<Outcome<T>> {
  for (let round = 1; ; round++) {
    const step = round === 1 ? name : `${name}~${round}`;
    const outcome = await ctx.step(step, (signal) => outcomeOf(body(callOf(ctx, step), signal), returned));
    if (outcome.ok || outcome.failure.details["requires_human"] !== true || returned.includes(outcome.failure.code)) return outcome;
    await ctx.ask(`mend:${step}`, mendQuestion(id, outcome.failure));
  }
}

/** The same where a broken rule would be a bug of ours. */
export async function certain<T>(ctx: Ctx, id: string, name: string, body: Body<T>): Promise<T> {
  const outcome = await attempt(ctx, id, name, body);
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

function mendQuestion(id: string, { code, message, details }: Failure) {
  const next = Array.isArray(details["suggested_next_actions"]) ? details["suggested_next_actions"].map(String) : [];
  return {
    kind: "mend",
    title: `${id} cannot go on: ${code}`,
    body: [message, ...next.map((action) => `next: ${action}`)].join("\n"),
    options: [{ value: "retry", label: "it is mended: try again" }],
    schema: z.strictObject({ decision: z.literal("retry"), comment: z.string().optional() }),
    context: { feature_id: id, code },
  };
}
