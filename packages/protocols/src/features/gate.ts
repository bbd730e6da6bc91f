import type { GateSummary } from "@slipway/kernel/features/gate";
import { certain } from "./attempt.ts";
import type { Outcome, Site } from "./site.ts";

/** A gate that fails is a result; a gate that cannot be run is a question. */
export async function gate(site: Site, mode: string, attempt: string): Promise<Outcome<GateSummary>> {
  const { features } = site.shop.kernel;
  const summary = await certain(site, `gates:${mode}:${attempt}`, (call, signal) =>
    features.runGates(call, { feature_id: site.id, mode }, signal),
  );
  return summary.failure === null ? { ok: true, value: summary } : { ok: false, failure: summary.failure };
}

/** Every mode the policy requires. One that has passed on this very tree is not run again. */
export async function gateAll(site: Site, attempt: string): Promise<Outcome<null>> {
  const { required_modes, required_merge_mode } = site.shop.kernel.configuration.policy;
  for (const mode of new Set([...required_modes, required_merge_mode])) {
    const { gates } = await site.ctx.step(`passed:${mode}:${attempt}`, () => site.shop.kernel.features.standing(site.id));
    if (gates[mode] === "pass") continue;
    const passed = await gate(site, mode, attempt);
    if (!passed.ok) return passed;
  }
  return { ok: true, value: null };
}
