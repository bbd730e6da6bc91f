import type { Ctx } from "@slipway/durable/ctx";
import type { GateSummary } from "@slipway/kernel/features/gate";
import { certain } from "./attempt.ts";
import type { Outcome, Shop } from "./shop.ts";

/** A gate that fails is a result; a gate that cannot be run is a question. */
export async function gate(ctx: Ctx, shop: Shop, id: string, mode: string, attempt: string): Promise<Outcome<GateSummary>> {
  const { runGates } = shop.kernel.features;
  const summary = await certain(ctx, id, `gates:${mode}:${attempt}`, (call, signal) => runGates(call, { feature_id: id, mode }, signal));
  return summary.failure === null ? { ok: true, value: summary } : { ok: false, failure: summary.failure };
}
