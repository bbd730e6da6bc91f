import type { Ctx } from "@slipway/durable/ctx";
import type { Last } from "./phase.ts";
import { gate } from "./gate.ts";
import { askWorker } from "./worker.ts";
import { callOf, outcomeOf, type Outcome, type Shop } from "./shop.ts";

/** One diff, judged against the plan, then the fast gates on exactly those bytes. */
export async function buildOnce(ctx: Ctx, shop: Shop, id: string, attempt: string, last: Last): Promise<Outcome<string>> {
  const output = await askWorker(ctx, shop, { role: "builder", id, attempt, last });
  if (!output.ok) return output;
  const patched = await applyPatch(ctx, shop, id, `patch:${attempt}`, output.value.unified_diff);
  if (!patched.ok) return patched;
  const passed = await gate(ctx, shop, id, "fast", attempt);
  if (!passed.ok) return passed;
  await ctx.step(`qa-entry:${attempt}`, () =>
    shop.kernel.features.changeStatus(callOf(ctx, `qa-entry:${attempt}`), { feature_id: id, to: "qa", reason: "the fast gates passed" }),
  );
  return patched;
}

export function applyPatch(ctx: Ctx, shop: Shop, id: string, step: string, unified_diff: string): Promise<Outcome<string>> {
  return ctx.step(step, async () => {
    const applied = await outcomeOf(shop.kernel.features.applyPatch(callOf(ctx, step), { feature_id: id, unified_diff }));
    return applied.ok ? { ok: true, value: applied.value.tree } : applied;
  });
}
