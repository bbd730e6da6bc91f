import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
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
