import { PROJECT_STEPS } from "../steps.ts";
import { workflow } from "@slipway/durable/ctx";
import { RELAXED } from "../durability.ts";
import { releasePorts, landRelease, type ReleaseResult } from "./release-project.ts";
import { partialRelease } from "./release.ts";
import type { Release } from "./schema.ts";
import type { FactoryServices } from "../services.ts";
import { projectRun } from "../project-run.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const PARTIAL_VERSION = "1";

export interface PartialInput {
  /** Exactly these modules, as `MM-…@x.y.z`. */
  readonly module_refs: readonly string[];
}

/** Releases the modules a person names, through the same gates and merge as a whole project. */
export const partial = workflow<PartialInput, ReleaseResult, FactoryServices>(
  "factory-release",
  PARTIAL_VERSION,
  async (ctx, { module_refs }, services) => {
    const run = projectRun(ctx, services);
    const at = await run.moment("release-at");
    const release = await run.keep<Release>(PROJECT_STEPS.release.named(), async (call) => {
      const spec_version = (await services.projectStore.projects.head())?.spec_version ?? "none";
      return partialRelease(releasePorts(services), call, module_refs, { spec_version }, at);
    });
    return landRelease(run, release);
  },
  RELAXED,
);
