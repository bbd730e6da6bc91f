import { planDraftSchema } from "./micro-plan.ts";
import { namedModules, type MicroPlanFacts } from "./plan-rules.ts";
import type { EngineeringServices, EngineeringTask } from "./ports.ts";

type Looked = { readonly store: Pick<EngineeringServices["store"], "latestVersion" | "shippedModule"> } & {
  readonly index: Pick<EngineeringServices["index"], "reuseFacts">;
};

/** Looks up which modules of a plan exist, which it may call, and which entries of the code index are similar. */
export async function planFacts(
  { store, index }: Looked,
  plan: unknown,
  { dependencies, successors = {} }: Pick<EngineeringTask, "dependencies" | "successors">,
): Promise<MicroPlanFacts> {
  const existing = new Set<string>();
  for (const id of namedModules(plan)) if ((await store.latestVersion(id)) !== null) existing.add(id);
  const drafted = planDraftSchema.safeParse(plan);
  const shipped = new Set(dependencies);
  if (!drafted.success) return { existing, successors: new Set(), shipped, reuse: {} };
  for (const ref of drafted.data.modules.flatMap(({ reuse_candidate_refs }) => reuse_candidate_refs)) {
    if ((await store.shippedModule(ref)) !== null) shipped.add(ref);
  }
  return { existing, successors: new Set(Object.keys(successors)), shipped, reuse: await index.reuseFacts(drafted.data) };
}
