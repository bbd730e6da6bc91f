import { planDraftSchema } from "./micro-plan.ts";
import { namedModules, type PlanFacts } from "./plan-rules.ts";
import type { EngineeringShop, EngineeringTask } from "./ports.ts";

type Looked = { readonly store: Pick<EngineeringShop["store"], "latestVersion" | "shippedModule"> } & {
  readonly index: Pick<EngineeringShop["index"], "reuseFacts">;
};

/** What of a plan exists, what it may call, and what the code index has that is like it. */
export async function planFacts(
  { store, index }: Looked,
  plan: unknown,
  { dependencies, successors = {} }: Pick<EngineeringTask, "dependencies" | "successors">,
): Promise<PlanFacts> {
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
