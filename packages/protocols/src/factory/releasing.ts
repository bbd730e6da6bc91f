import type { CodeIndex } from "@slipway/kernel/code-index/code-index";
import { splitRef } from "@slipway/kernel/code-index/entry";
import { inPlaceOf } from "./preparing.ts";
import type { StateMachine } from "./project/state.ts";
import type { ReleasedModule } from "./release/gates.ts";
import { fullRelease } from "./release/release.ts";
import type { Release } from "./release/schema.ts";
import type { FactoryShop } from "./shop.ts";
import type { FactorySite } from "./site.ts";

/** When nothing is left to do: the gates, the manifest. Null when nothing was built. */
export async function releaseProject(site: FactorySite): Promise<Release | null> {
  const at = await site.moment("release-at");
  return site.keep("release", async (call) => {
    const { documents, codeIndex } = site.shop;
    const project = await site.project();
    await project.flush();
    const machine = await withSuccessors(codeIndex, project.machine());
    return fullRelease({ documents, index: codeIndex, moduleOf: (ref) => releasedModule(site.shop, ref) }, call, machine, at);
  });
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

/** A shipped version with what was recorded of it when it shipped. */
export async function releasedModule({ store, codeIndex }: FactoryShop, ref: string): Promise<ReleasedModule | null> {
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
