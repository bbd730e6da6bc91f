import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError, toFailure, type Failure } from "@slipway/durable/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Call } from "@slipway/kernel/features/call";
import type { AgentDesk } from "../desk.ts";

/** What a run of this protocol works with. */
export interface Shop {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** The operation id comes from run and step name, so a repeated step changes nothing twice. */
export function callOf(ctx: Ctx, step: string): Call {
  return { actor: { type: "system", id: ctx.runId }, operationId: `${ctx.runId}/${step}` };
}

/** A broken rule is an answer for the worker; anything a person must mend, or that may pass by itself, is not. */
export async function outcomeOf<T>(work: Promise<T>, alsoExpected: readonly string[] = []): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    const expected = alsoExpected.includes(error.code) || (!error.details.retryable && !error.details.requires_human);
    if (!expected || error.code === "internal_error" || error.code === "lease_lost") throw error;
    return { ok: false, failure: toFailure(error) };
  }
}
