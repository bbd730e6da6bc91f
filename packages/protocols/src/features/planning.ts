import type { Ctx } from "@slipway/durable/ctx";
import type { Plan } from "@slipway/kernel/plans/schema";
import { holdLocks } from "./locks.ts";
import type { Last } from "./phase.ts";
import { askWorker } from "./worker.ts";
import { callOf, outcomeOf, type Outcome, type Shop } from "./shop.ts";

/** The planner proposes, the kernel checks. A refused plan is the next attempt's input. */
export async function planOnce(ctx: Ctx, shop: Shop, id: string, attempt: string, last: Last): Promise<Outcome<Plan>> {
  const output = await askWorker(ctx, shop, { role: "planner", id, attempt, last });
  if (!output.ok) return output;
  const { plan } = output.value;
  const contended = await holdLocks(ctx, shop, id, `locks:${attempt}`, plan);
  if (contended !== null) return { ok: false, failure: contended };
  const step = `plan:${attempt}`;
  return ctx.step(step, () => outcomeOf(shop.kernel.features.submitPlan(callOf(ctx, step), { feature_id: id, plan_json: plan })));
}
