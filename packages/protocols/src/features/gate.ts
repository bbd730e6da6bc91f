import type { Ctx } from "@slipway/durable/ctx";
import type { GateSummary } from "@slipway/kernel/features/gate";
import { callOf, type Outcome, type Shop } from "./shop.ts";

export async function gate(ctx: Ctx, shop: Shop, id: string, mode: string, attempt: string): Promise<Outcome<GateSummary>> {
  const step = `gates:${mode}:${attempt}`;
  const summary = await ctx.step(step, (signal) => shop.kernel.features.runGates(callOf(ctx, step), { feature_id: id, mode }, signal));
  return summary.failure === null ? { ok: true, value: summary } : { ok: false, failure: summary.failure };
}
