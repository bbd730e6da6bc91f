import { toFailure } from "@slipway/durable/errors";
import type { CodeIndex } from "./code-index/code-index.ts";
import { splitRef } from "./code-index/entry.ts";
import { endFeature } from "../features/ending.ts";
import { inPlaceOf } from "./preparing.ts";
import type { StateMachine } from "./project/state.ts";
import type { ReleasedModule } from "./release/gates.ts";
import { fullRelease, type ReleasePorts } from "./release/release.ts";
import { releaseFeature, releaseLanding } from "./release/landing.ts";
import { landed, releaseKind, type Release, type ReleaseLanding } from "./release/schema.ts";
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";

/** When nothing is left to do: the gates, the manifest. Null when nothing was built. */
export async function releaseProject(site: FactorySite): Promise<Release | null> {
  const at = await site.moment("release-at");
  return site.keep("release", async (call) => {
    const project = await site.project();
    await project.flush();
    const machine = await withSuccessors(site.shop.codeIndex, project.machine());
    return fullRelease(releasePorts(site.shop), call, machine, at);
  });
}

type Merged = Extract<ReleaseLanding, { status: "merged" }>;

interface Released {
  readonly release_id: string;
  /** What others need comes before them. */
  readonly modules: readonly string[];
  readonly notes: string;
}

export type ReleaseResult =
  | (Released & { readonly status: "released"; readonly merge: Omit<Merged, "status"> })
  /** Its own gates refuse it. */
  | (Released & { readonly status: "release_refused" })
  /** The repository's gates or a person do not want it; the branch is kept. */
  | (Released & { readonly status: "release_not_merged"; readonly branch: string; readonly reason: string });

/** A release that passes its gates goes into the repository, like any change. */
export async function landRelease(site: Pick<FactorySite, "ctx" | "keep" | "shop">, release: Release): Promise<ReleaseResult> {
  const { release_id, overall_result, modules, notes } = release;
  const result = { release_id, modules: modules.map(({ module_ref }) => module_ref), notes };
  if (overall_result === "FAIL") return { status: "release_refused", ...result };
  const landing = await whateverHappens(site, release_id);
  if (landing.status === "not_merged") {
    return { ...result, status: "release_not_merged", branch: landing.branch, reason: landing.reason };
  }
  const { status: _, ...merge } = landing;
  return { status: "released", ...result, merge };
}

/** One that breaks off where no rule foresees it is not merged, and that is its result: what is shipped stays shipped. */
async function whateverHappens({ ctx, keep, shop }: Pick<FactorySite, "ctx" | "keep" | "shop">, id: string): Promise<ReleaseLanding> {
  const branch = releaseFeature(id);
  try {
    return await ctx.child(`feature:${branch}`, releaseLanding, { release_id: id });
  } catch (error) {
    const { code, message } = toFailure(error);
    const landing = { status: "not_merged", branch, reason: `broke off: ${code}: ${message}` } as const;
    await keep("release-broke-off", (call) => endFeature(shop.kernel, call, branch, landing.reason));
    await keep("release-not-merged", async (call) => {
      await shop.documents.revise(call, releaseKind, id, landing, (kept) => landed(kept, landing));
      return null;
    });
    return landing;
  }
}

/** What was superseded since it shipped is released as what took its place. */
async function withSuccessors(index: Pick<CodeIndex, "find">, machine: StateMachine): Promise<StateMachine> {
  const entries = await Promise.all(
    Object.entries(machine.tasks).map(async ([id, task]) => {
      const module_refs = await Promise.all(task.module_refs.map((ref) => inPlaceOf(index, ref)));
      return [id, { ...task, module_refs }] as const;
    }),
  );
  return { ...machine, tasks: Object.fromEntries(entries) };
}

export function releasePorts(shop: Pick<FactoryShop, "documents" | "codeIndex" | "store">): ReleasePorts {
  return { documents: shop.documents, index: shop.codeIndex, moduleOf: (ref) => releasedModule(shop, ref) };
}

/** A shipped version with what was recorded of it when it shipped. */
export async function releasedModule(
  { store, codeIndex }: Pick<FactoryShop, "store" | "codeIndex">,
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
