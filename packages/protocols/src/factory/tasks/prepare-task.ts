import type { CodeIndex } from "../code-index/code-index.ts";
import type { EngineeringTask, ShippedModule } from "../engineering/ports.ts";
import type { Before } from "../incremental/before.ts";
import type { Project } from "../project/project.ts";
import type { DependencyContract } from "../project/task-file.ts";
import type { FactoryServices } from "../services.ts";

type Shipped = Pick<FactoryServices, "store" | "codeIndex">;

/** Follows supersession to the current version. */
export async function currentVersionOf(index: Pick<CodeIndex, "find">, ref: string): Promise<string> {
  const entry = await index.find(ref);
  return entry?.status === "SUPERSEDED" && entry.superseded_by !== null ? currentVersionOf(index, entry.superseded_by) : ref;
}

/** Writes the task's file with the contracts of its dependencies. The engineering loop gets nothing else of the project. */
export async function prepareTask(stores: Shipped, project: Project, id: string): Promise<EngineeringTask> {
  const { pillar } = project.task(id);
  const shipped = await dependenciesOf(stores, project, id);
  const task_file = await project.taskFile(id, shipped.map(dependencyContract));
  const { path, acceptance_criteria, amendments, before } = await project.sheet(id);
  return {
    task_id: id,
    task_ref: `${id}@1.${amendments.length}.0`,
    pillar,
    task_path: path,
    task_file,
    acceptance_criteria,
    dependencies: shipped.map(({ module_id, version }) => `${module_id}@${version}`),
    ...(before === undefined || before.module_refs.length === 0 ? {} : revision(before)),
  };
}

/** The approved spec asks for a new version, but its compatibility is unknown. */
function revision({ action, module_refs, because, revisable }: Before): Pick<EngineeringTask, "before" | "successors"> {
  return {
    before: { module_refs, because, mayStay: action === "recheck" },
    successors: Object.fromEntries(revisable.map((id) => [id, "UNKNOWN"])),
  };
}

/** The modules shipped by the tasks it depends on. */
export async function dependenciesOf({ store, codeIndex }: Shipped, project: Project, id: string): Promise<ShippedModule[]> {
  const shipped = project.task(id).depends_on.flatMap((dependency) => project.task(dependency).module_refs);
  const refs = new Set(await Promise.all(shipped.map((ref) => currentVersionOf(codeIndex, ref))));
  const found = await Promise.all([...refs].map((ref) => store.shippedModule(ref)));
  return found.filter((module) => module !== null);
}

export function dependencyContract({ module_id, version, contract, examples }: ShippedModule): DependencyContract {
  const { purpose, inputs, outputs, error_surfaces, effects, modes } = contract;
  const parts = [
    ["inputs", inputs.map(typed)],
    ["outputs", outputs.map(typed)],
    ["errors", error_surfaces.map(({ name, when }) => `${name} when ${when}`)],
    ["effects", effects.map(({ type, target }) => `${type} ${target}`)],
    ["modes", (["sync", "async"] as const).filter((mode) => modes[mode])],
  ] as const;
  const summary = `${purpose} ${parts.map(([name, list]) => `${name}: ${list.join(", ") || "none"}`).join("; ")}`;
  return { ref: `${module_id}@${version}`, summary, examples };
}

function typed({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name}: ${type}`;
}
