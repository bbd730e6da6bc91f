import type { PlannedModule } from "./micro-plan.ts";

type Ordered = Pick<PlannedModule, "module_id" | "depends_on">;

/** `MM-x@1.0.0` to `MM-x`. */
export function idOf(ref: string): string {
  return ref.slice(0, ref.indexOf("@") < 0 ? undefined : ref.indexOf("@"));
}

/** The dependencies of a module inside this plan; all others have shipped before. */
export function innerDependencies(module: Ordered, modules: readonly Ordered[]): string[] {
  const inside = new Set(modules.map(({ module_id }) => module_id));
  return [...new Set(module.depends_on.map(idOf))].filter((id) => inside.has(id));
}

export type DependencyOrder<M> =
  | { readonly ok: true; readonly modules: readonly M[] }
  /** The ids in the cycle, in the order of the plan. */
  | { readonly ok: false; readonly cycle: readonly string[] };

/** Dependencies first; otherwise the order of the plan. */
export function inDependencyOrder<M extends Ordered>(modules: readonly M[]): DependencyOrder<M> {
  const waiting = new Map(modules.map((module) => [module.module_id, new Set(innerDependencies(module, modules))]));
  const ordered: M[] = [];
  let left = [...modules];
  while (left.length > 0) {
    const next = left.find(({ module_id }) => waiting.get(module_id)?.size === 0);
    if (next === undefined) return { ok: false, cycle: left.map(({ module_id }) => module_id) };
    ordered.push(next);
    left = left.filter((module) => module !== next);
    for (const others of waiting.values()) others.delete(next.module_id);
  }
  return { ok: true, modules: ordered };
}

/** All modules of the plan that depend on one of these, directly or indirectly. */
export function dependentsOf(failed: readonly string[], modules: readonly Ordered[]): string[] {
  const reached = new Set(failed);
  for (let grown = true; grown;) {
    const more = modules.filter(
      (module) => !reached.has(module.module_id) && innerDependencies(module, modules).some((id) => reached.has(id)),
    );
    for (const { module_id } of more) reached.add(module_id);
    grown = more.length > 0;
  }
  return modules.map(({ module_id }) => module_id).filter((id) => reached.has(id) && !failed.includes(id));
}
