import { workflow } from "@slipway/durable/ctx";
import { RELAXED } from "./durability.ts";
import { releasePorts, landRelease, type ReleaseResult } from "./releasing.ts";
import { partialRelease } from "./release/release.ts";
import type { FactoryShop } from "./shop.ts";
import { factorySite } from "./site.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const PARTIAL_VERSION = "1";

export interface PartialInput {
  /** `MM-…@x.y.z`, exactly these. */
  readonly module_refs: readonly string[];
}

/** What a person names, released by the same gates and merged in the same way as a whole project. */
export const partial = workflow<PartialInput, ReleaseResult, FactoryShop>(
  "factory-release",
  PARTIAL_VERSION,
  async (ctx, { module_refs }, shop) => {
    const site = factorySite(ctx, shop);
    const at = await site.moment("release-at");
    const release = await site.keep("release", async (call) => {
      const spec_version = (await shop.room.projects.head())?.spec_version ?? "none";
      return partialRelease(releasePorts(shop), call, module_refs, { spec_version }, at);
    });
    return landRelease(site, release);
  },
  RELAXED,
);
