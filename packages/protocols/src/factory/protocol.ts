import { workflow, type Ctx } from "@slipway/durable/ctx";
import { tryGatesOnBase } from "../change/base-gates.ts";
import type { RunAgents } from "../dispatch/run-agents.ts";
import { projectSteps } from "./tasks/project-steps.ts";
import { RELAXED } from "./durability.ts";
import { sameSpec } from "./incremental/same-spec.ts";
import { productLoop, type ProductInput } from "./product/loop.ts";
import { projectLoop } from "./project/loop.ts";
import { landRelease, releaseProject, type ReleaseResult } from "./release/release-project.ts";
import type { FactoryServices } from "./services.ts";
import { projectRun } from "./project-run.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const FACTORY_VERSION = "4";

export interface FactoryInput extends ProductInput {
  /** Skip trying the gates of the release on the base first. */
  readonly skip_base_gates?: boolean;
  /** The agents when the run began; a resumed run keeps them unless a person overrides them. Contains no credentials. */
  readonly agents?: RunAgents;
}

export type FactoryResult =
  /** A person ended the product loop. */
  | { readonly status: "given_up"; readonly reason: string }
  | ReleaseResult
  /** Every task was abandoned, or attested without a module. */
  | { readonly status: "nothing_built" };

/** From a page to an approved spec, from the spec to shipped modules, task by task, and from those to a release. */
export const factory = workflow<FactoryInput, FactoryResult, FactoryServices>("factory", FACTORY_VERSION, build, RELAXED);

async function build(ctx: Ctx, input: FactoryInput, services: FactoryServices): Promise<FactoryResult> {
  const { project, spec_source, spec_digest, previous } = input;
  const reason = await tryGatesOnBase(ctx, services.kernel, input.skip_base_gates);
  if (reason !== null) return { status: "given_up", reason: `Not begun: ${reason}` };
  const product =
    previous?.page_digest === spec_digest
      ? await sameSpec(ctx, services, previous)
      : await ctx.child("product", productLoop, { project, spec_source, spec_digest, ...(previous === undefined ? {} : { previous }) });
  if (product.status === "given_up") return product;
  await services.prepare();
  const run = projectRun(ctx, services);
  const origin = { page: spec_source, page_digest: spec_digest, spec_digest: product.spec_digest };
  await projectLoop(projectSteps(run, product.spec, { origin, previous: previous?.project_id }));
  const release = await releaseProject(run);
  return release === null ? { status: "nothing_built" } : landRelease(run, release);
}
