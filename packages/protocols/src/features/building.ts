import { SlipwayError } from "@slipway/durable/errors";
import { onBehalf } from "./firewall.ts";
import { gate } from "./gate.ts";
import type { Start, Tried } from "./phase.ts";
import type { WorkerRole } from "./schemas.ts";
import type { Outcome, Site } from "./site.ts";
import { enter, stillStanding } from "./standing.ts";
import { askWorker } from "./worker.ts";

/** One diff, judged against the plan, then the fast gates on exactly those bytes. Null when a person has given the feature up. */
export async function buildOnce(site: Site, start: Start): Promise<Tried<string | null>> {
  if (!(await stillStanding(site, `build:${start.attempt}`, "building"))) return { ok: true, value: null };
  const answered = await askWorker(site, { role: "builder", ...start });
  if (!answered.ok) return answered;
  const patched = await applyPatch(site, "builder", `patch:${start.attempt}`, answered.value.unified_diff);
  if (!patched.ok) return patched;
  const passed = await gate(site, "fast", start.attempt);
  if (!passed.ok) return passed;
  const entered = await enter(site, `qa-entry:${start.attempt}`, "qa", "the fast gates passed");
  return { ok: true, value: entered ? patched.value.tree : null };
}

export interface Patched {
  readonly tree: string;
  readonly changed: readonly string[];
}

export function applyPatch(site: Site, role: WorkerRole, step: string, unified_diff: string, batch?: string): Promise<Outcome<Patched>> {
  return onBehalf(site, {
    role,
    output: "PATCH",
    step,
    ...(batch === undefined ? {} : { batch }),
    async body(call) {
      const { tree, empty, changed } = await site.shop.kernel.features.applyPatch(call, { feature_id: site.id, unified_diff });
      // Gates pass on an unchanged tree, too; that is not work.
      if (empty)
        throw new SlipwayError("patch_rejected", "After this patch nothing differs from the base: the feature is still to be built.");
      return { tree, changed: changed.map(({ path }) => path) };
    },
  });
}
