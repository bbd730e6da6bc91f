import { splitRef } from "../code-index/entry.ts";
import { inRange } from "../code-index/range.ts";
import type { Task } from "../project/state.ts";
import type { ReleasedModule } from "./gates.ts";

type Tasks = Readonly<Record<string, Pick<Task, "status" | "module_refs" | "declaration_order" | "task">>>;

/** Due once all tasks are finished and at least one shipped. */
export function releaseIsDue(tasks: Tasks): boolean {
  const statuses = Object.values(tasks).map(({ status }) => status);
  return statuses.includes("SHIPPED") && statuses.every((status) => status === "SHIPPED" || status === "ABANDONED");
}

/** The modules of shipped tasks, in the order of the spec. Modules of other tasks stay in the index only. */
export function shippedByProject(tasks: Tasks): string[] {
  const inOrder = Object.values(tasks).toSorted((left, right) => left.declaration_order - right.declaration_order);
  return [...new Set(inOrder.filter(({ status }) => status === "SHIPPED").flatMap(({ module_refs }) => module_refs))];
}

/** The abandoned tasks, for the notes of the manifest. */
export function abandonedNotes(tasks: Tasks): string {
  const abandoned = Object.entries(tasks).filter(([, { status }]) => status === "ABANDONED");
  return abandoned.length === 0 ? "" : `Abandoned: ${abandoned.map(([id]) => id).join(", ")}.`;
}

/** Adds transitively the modules these were built against. `moduleOf` knows every shipped version. */
export async function withReused(
  refs: readonly string[],
  moduleOf: (ref: string) => Promise<ReleasedModule | null>,
): Promise<ReleasedModule[]> {
  const found = new Map<string, ReleasedModule>();
  const waiting = [...refs];
  for (let ref = waiting.shift(); ref !== undefined; ref = waiting.shift()) {
    if (found.has(ref)) continue;
    const module = await moduleOf(ref);
    if (module === null) continue;
    found.set(ref, module);
    waiting.push(...Object.keys(module.built_against));
  }
  return inOrder([...found.values()]);
}

/** Dependencies first, otherwise the given order. A cycle, which no plan can create, is cut at some point. */
export function inOrder(modules: readonly ReleasedModule[]): ReleasedModule[] {
  const byId = Map.groupBy(modules, ({ module_ref }) => splitRef(module_ref).module_id);
  const producersOf = ({ dependencies }: ReleasedModule) =>
    dependencies
      .map(splitRef)
      .flatMap(({ module_id, version }) =>
        (byId.get(module_id) ?? []).filter(({ module_ref }) => inRange(splitRef(module_ref).version, version)),
      );
  const ordered = new Set<ReleasedModule>();
  const begun = new Set<ReleasedModule>();
  const waiting = modules.toReversed();
  for (let module = waiting.at(-1); module !== undefined; module = waiting.at(-1)) {
    const before = begun.has(module) ? [] : producersOf(module).filter((producer) => !begun.has(producer));
    begun.add(module);
    if (before.length > 0) waiting.push(...before.toReversed());
    else ordered.add(waiting.pop() as ReleasedModule);
  }
  return [...ordered];
}
