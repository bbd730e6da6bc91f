import type { Ctx } from "@slipway/durable/ctx";
import type { Plan } from "@slipway/kernel/plans/schema";
import { attempt } from "./attempt.ts";
import { holdLocks } from "./locks.ts";
import type { Last } from "./phase.ts";
import { askWorker } from "./worker.ts";
import type { Outcome, Shop } from "./shop.ts";

/** The planner proposes, the kernel checks. A refused plan is the next attempt's input. */
export async function planOnce(ctx: Ctx, shop: Shop, id: string, number: string, last: Last): Promise<Outcome<Plan>> {
  const output = await askWorker(ctx, shop, { role: "planner", id, attempt: number, last });
  if (!output.ok) return output;
  const { plan } = output.value;
  const contended = await holdLocks(ctx, shop, id, `locks:${number}`, plan);
  if (contended !== null) return { ok: false, failure: contended };
  return attempt(ctx, id, `plan:${number}`, (call) => shop.kernel.features.submitPlan(call, { feature_id: id, plan_json: plan }));
}
