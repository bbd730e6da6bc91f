import { toFailure } from "@slipway/durable/errors";
import type { CodeIndex } from "../code-index/code-index.ts";
import { splitRef } from "../code-index/entry.ts";
import { endFeature } from "../../change/end-feature.ts";
import { currentVersionOf } from "../tasks/prepare-task.ts";
import type { StateMachine } from "../project/state.ts";
import type { ReleasedModule } from "./gates.ts";
import { fullRelease, type ReleasePorts } from "./release.ts";
import { releaseFeature, releaseLanding } from "./land-release.ts";
import { landed, releaseKind, type Release, type ReleaseLanding } from "./schema.ts";
import type { FactoryServices } from "../services.ts";
import { PROJECT_STEPS } from "../steps.ts";
import type { ProjectRun } from "../project-run.ts";

/** Runs the release gates and writes the manifest, once all tasks are finished. Null if nothing was built. */
export async function releaseProject(run: ProjectRun): Promise<Release | null> {
  const at = await run.moment("release-at");
  return run.keep(PROJECT_STEPS.release.named(), async (call) => {
    const project = await run.project();
    await project.flush();
    const machine = await withSuccessors(run.services.codeIndex, project.machine());
    return fullRelease(releasePorts(run.services), call, machine, at);
  });
}

type Merged = Extract<ReleaseLanding, { status: "merged" }>;

interface Released {
  readonly release_id: string;
  /** Dependencies come before their dependents. */
  readonly modules: readonly string[];
  readonly notes: string;
}

export type ReleaseResult =
  | (Released & { readonly status: "released"; readonly merge: Omit<Merged, "status"> })
  /** The release gates failed. */
  | (Released & { readonly status: "release_refused" })
  /** The repository's gates failed or a person rejected it; the branch is kept. */
  | (Released & { readonly status: "release_not_merged"; readonly branch: string; readonly reason: string });

/** Merges a release that passed its gates into the repository. */
export async function landRelease(run: Pick<ProjectRun, "ctx" | "keep" | "services">, release: Release): Promise<ReleaseResult> {
  const { release_id, overall_result, modules, notes } = release;
  const result = { release_id, modules: modules.map(({ module_ref }) => module_ref), notes };
  if (overall_result === "FAIL") return { status: "release_refused", ...result };
  const landing = await landSafely(run, release_id);
  if (landing.status === "not_merged") {
    return { ...result, status: "release_not_merged", branch: landing.branch, reason: landing.reason };
  }
  const { status: _, ...merge } = landing;
  return { status: "released", ...result, merge };
}

/** An unexpected error ends the release as not merged; shipped modules stay shipped. */
async function landSafely({ ctx, keep, services }: Pick<ProjectRun, "ctx" | "keep" | "services">, id: string): Promise<ReleaseLanding> {
  const branch = releaseFeature(id);
  try {
    return await ctx.child(`feature:${branch}`, releaseLanding, { release_id: id });
  } catch (error) {
    const { code, message } = toFailure(error);
    const landing = { status: "not_merged", branch, reason: `failed: ${code}: ${message}` } as const;
    await keep("release-broke-off", (call) => endFeature(services.kernel, call, branch, landing.reason));
    await keep("release-not-merged", async (call) => {
      await services.documents.revise(call, releaseKind, id, landing, (saved) => landed(saved, landing));
      return null;
    });
    return landing;
  }
}

/** Replaces superseded modules by their successors. */
async function withSuccessors(index: Pick<CodeIndex, "find">, machine: StateMachine): Promise<StateMachine> {
  const entries = await Promise.all(
    Object.entries(machine.tasks).map(async ([id, task]) => {
      const module_refs = await Promise.all(task.module_refs.map((ref) => currentVersionOf(index, ref)));
      return [id, { ...task, module_refs }] as const;
    }),
  );
  return { ...machine, tasks: Object.fromEntries(entries) };
}

export function releasePorts(services: Pick<FactoryServices, "documents" | "codeIndex" | "store">): ReleasePorts {
  return { documents: services.documents, index: services.codeIndex, moduleOf: (ref) => releasedModule(services, ref) };
}

/** A shipped version with the facts recorded when it shipped. */
export async function releasedModule(
  { store, codeIndex }: Pick<FactoryServices, "store" | "codeIndex">,
  ref: string,
): Promise<ReleasedModule | null> {
  const module = await store.shippedModule(ref);
  const entry = await codeIndex.find(ref);
  if (module === null || entry === null) return null;
  const built = await Promise.all(module.depends_on.map((dependency) => store.shippedModule(dependency)));
  const { module_id, version } = splitRef(ref);
  return {
    module_ref: `${module_id}@${version}`,
    ship_ref: entry.ship_ref,
    fingerprint: module.ship.verification.interface_fingerprint,
    dependencies: entry.dependencies,
    built_against: Object.fromEntries(
      built.flatMap((found) =>
        found === null ? [] : [[`${found.module_id}@${found.version}`, found.ship.verification.interface_fingerprint] as const],
      ),
    ),
  };
}
