import type { Ctx } from "@slipway/durable/ctx";
import { certain } from "./attempt.ts";
import { applyPatch } from "./building.ts";
import { gate } from "./gate.ts";
import type { Last } from "./phase.ts";
import { askWorker } from "./worker.ts";
import type { Outcome, Shop } from "./shop.ts";

/** A fresh QA agent adds the tests that are missing, or says none are; then the full gates decide. */
export async function testOnce(ctx: Ctx, shop: Shop, id: string, attempt: string, last: Last): Promise<Outcome<"ready">> {
  const output = await askWorker(ctx, shop, { role: "qa", id, attempt, last });
  if (!output.ok) return output;
  if (output.value.type === "PATCH") {
    const patched = await applyPatch(ctx, shop, id, `qa-patch:${attempt}`, output.value.unified_diff);
    if (!patched.ok) return patched;
  }
  for (const mode of requiredModes(shop)) {
    const passed = await gate(ctx, shop, id, mode, `qa-${attempt}`);
    if (!passed.ok) return passed;
  }
  const { changeStatus } = shop.kernel.features;
  await certain(ctx, id, `ready:${attempt}`, (call) =>
    changeStatus(call, { feature_id: id, to: "ready_to_merge", reason: "every required gate passed" }),
  );
  return { ok: true, value: "ready" };
}

export function requiredModes(shop: Shop): string[] {
  const { required_modes, required_merge_mode } = shop.kernel.configuration.policy;
  return [...new Set([...required_modes, required_merge_mode])];
}
