import { workflow, type Ctx } from "@slipway/durable/ctx";
import { tryGatesOnBase } from "../base-gates.ts";
import type { RunAgents } from "../run-agents.ts";
import { projectSteps } from "./building.ts";
import { RELAXED } from "./durability.ts";
import { sameSpec } from "./incremental/same-spec.ts";
import { productLoop, type ProductInput } from "./product/loop.ts";
import { projectLoop } from "./project/loop.ts";
import { landRelease, releaseProject, type ReleaseResult } from "./releasing.ts";
import type { FactoryShop } from "./shop.ts";
import { factorySite } from "./site.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const FACTORY_VERSION = "4";

export interface FactoryInput extends ProductInput {
  /** The gates of the release are not tried on the base first. */
  readonly skip_base_gates?: boolean;
  /** Who played the roles when the run began; a resumed run keeps to it unless somebody says otherwise. Never a credential. */
  readonly agents?: RunAgents;
}

export type FactoryResult =
  /** A person ended the product loop. */
  | { readonly status: "given_up"; readonly reason: string }
  | ReleaseResult
  /** Every task was abandoned, or attested without a module. */
  | { readonly status: "nothing_built" };

/** From a page of intent to a spec, from the spec to shipped modules task by task, from those to a release. */
export const factory = workflow<FactoryInput, FactoryResult, FactoryShop>("factory", FACTORY_VERSION, build, RELAXED);

async function build(ctx: Ctx, input: FactoryInput, shop: FactoryShop): Promise<FactoryResult> {
  const { project, spec_source, spec_digest, previous } = input;
  const reason = await tryGatesOnBase(ctx, shop.kernel, input.skip_base_gates);
  if (reason !== null) return { status: "given_up", reason: `Not begun: ${reason}` };
  const product =
    previous?.page_digest === spec_digest
      ? await sameSpec(ctx, shop, previous)
      : await ctx.child("product", productLoop, { project, spec_source, spec_digest, ...(previous === undefined ? {} : { previous }) });
  if (product.status === "given_up") return product;
  await shop.prepare();
  const site = factorySite(ctx, shop);
  const origin = { page: spec_source, page_digest: spec_digest, spec_digest: product.spec_digest };
  await projectLoop(projectSteps(site, product.spec, { origin, previous: previous?.project_id }));
  const release = await releaseProject(site);
  return release === null ? { status: "nothing_built" } : landRelease(site, release);
}
