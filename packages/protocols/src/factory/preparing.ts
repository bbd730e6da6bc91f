import type { EngineeringTask, ShippedModule } from "./engineering/ports.ts";
import type { Project } from "./project/project.ts";
import type { DependencyContract } from "./project/task-file.ts";
import type { FactoryShop } from "./shop.ts";

/** Writes the task's file with the contracts of what it builds on; that file is all the engineering loop gets of the project. */
export async function prepareTask({ store }: Pick<FactoryShop, "store">, project: Project, id: string): Promise<EngineeringTask> {
  const { pillar } = project.task(id);
  const shipped = await dependenciesOf({ store }, project, id);
  const task_file = await project.taskFile(id, shipped.map(dependencyContract));
  const { path, acceptance_criteria, amendments } = await project.sheet(id);
  return {
    task_id: id,
    task_ref: `${id}@1.${amendments.length}.0`,
    pillar,
    task_path: path,
    task_file,
    acceptance_criteria,
    dependencies: shipped.map(({ module_id, version }) => `${module_id}@${version}`),
  };
}

/** The modules of the tasks that it depends on. */
export async function dependenciesOf({ store }: Pick<FactoryShop, "store">, project: Project, id: string): Promise<ShippedModule[]> {
  const refs = new Set(project.task(id).depends_on.flatMap((dependency) => project.task(dependency).module_refs));
  const found = await Promise.all([...refs].map((ref) => store.shippedModule(ref)));
  return found.filter((module) => module !== null);
}

export function dependencyContract({ module_id, version, contract, examples }: ShippedModule): DependencyContract {
  const { purpose, inputs, outputs, error_surfaces, effects, modes } = contract;
  const typed = (list: readonly { readonly name: string; readonly type: string }[]) => list.map(({ name, type }) => `${name}: ${type}`);
  const parts = [
    ["inputs", typed(inputs)],
    ["outputs", typed(outputs)],
    ["errors", error_surfaces.map(({ name, when }) => `${name} when ${when}`)],
    ["effects", effects.map(({ type, target }) => `${type} ${target}`)],
    ["modes", (["sync", "async"] as const).filter((mode) => modes[mode])],
  ] as const;
  const summary = `${purpose} ${parts.map(([name, list]) => `${name}: ${list.join(", ") || "none"}`).join("; ")}`;
  return { ref: `${module_id}@${version}`, summary, examples };
}
