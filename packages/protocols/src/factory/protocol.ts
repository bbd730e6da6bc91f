import { workflow } from "@slipway/durable/ctx";
import type { RunAgents } from "../features/protocol.ts";
import { projectSteps } from "./building.ts";
import { productLoop, type ProductInput } from "./product/loop.ts";
import { projectLoop } from "./project/loop.ts";
import { releaseProject } from "./releasing.ts";
import type { FactoryShop } from "./shop.ts";
import { factorySite } from "./site.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const FACTORY_VERSION = "1";

export interface FactoryInput extends ProductInput {
  /** Who played the roles when the run began; a resumed run keeps to it unless somebody says otherwise. Never a credential. */
  readonly agents?: RunAgents;
}

export type FactoryResult =
  /** A person ended the product loop. */
  | { readonly status: "given_up"; readonly reason: string }
  | {
      readonly status: "released" | "release_refused";
      readonly release_id: string;
      /** What others need comes before them. */
      readonly modules: readonly string[];
      readonly notes: string;
    }
  /** Every task was abandoned, or attested without a module. */
  | { readonly status: "nothing_built" };

/** From a page of intent to a spec, from the spec to shipped modules task by task, from those to a release. */
export const factory = workflow<FactoryInput, FactoryResult, FactoryShop>("factory", FACTORY_VERSION, async (ctx, input, shop) => {
  const { project, spec_source, spec_digest } = input;
  const product = await ctx.child("product", productLoop, { project, spec_source, spec_digest });
  if (product.status === "given_up") return product;
  await shop.prepare();
  const site = factorySite(ctx, shop);
  await projectLoop(projectSteps(site, product.spec));
  const release = await releaseProject(site);
  if (release === null) return { status: "nothing_built" };
  const { release_id, overall_result, modules, notes } = release;
  return {
    status: overall_result === "PASS" ? "released" : "release_refused",
    release_id,
    modules: modules.map(({ module_ref }) => module_ref),
    notes,
  };
});
