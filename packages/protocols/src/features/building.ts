import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/durable/errors";
import { attempt, certain } from "./attempt.ts";
import type { Last } from "./phase.ts";
import { gate } from "./gate.ts";
import { askWorker } from "./worker.ts";
import type { Outcome, Shop } from "./shop.ts";

/** One diff, judged against the plan, then the fast gates on exactly those bytes. */
export async function buildOnce(ctx: Ctx, shop: Shop, id: string, number: string, last: Last): Promise<Outcome<string>> {
  const output = await askWorker(ctx, shop, { role: "builder", id, attempt: number, last });
  if (!output.ok) return output;
  const patched = await applyPatch(ctx, shop, id, `patch:${number}`, output.value.unified_diff);
  if (!patched.ok) return patched;
  const passed = await gate(ctx, shop, id, "fast", number);
  if (!passed.ok) return passed;
  const { changeStatus } = shop.kernel.features;
  await certain(ctx, id, `qa-entry:${number}`, (call) => changeStatus(call, { feature_id: id, to: "qa", reason: "the fast gates passed" }));
  return patched;
}

export function applyPatch(ctx: Ctx, shop: Shop, id: string, step: string, unified_diff: string): Promise<Outcome<string>> {
  return attempt(ctx, id, step, async (call) => {
    const { tree, empty } = await shop.kernel.features.applyPatch(call, { feature_id: id, unified_diff });
    // Gates pass on an unchanged tree, too; that is not work.
    if (empty)
      throw new SlipwayError("patch_rejected", "After this patch nothing differs from the base: the feature is still to be built.");
    return tree;
  });
}
