import type { CodeIndex } from "../code-index/code-index.ts";
import type { ProductSpec } from "../product/spec.ts";
import { dependencyContract, currentVersionOf } from "../tasks/prepare-task.ts";
import { nameTasks } from "../project/task-names.ts";
import type { ProjectRows } from "../project/project.ts";
import type { EngineeringStore } from "../engineering/ports.ts";
import type { Carried } from "./carry.ts";
import { nodeReader } from "./node.ts";
import { planRebuild, type EarlierProject, type NextTask, type RebuildPlan } from "./plan.ts";

export interface EarlierStores {
  readonly projects: Pick<ProjectRows, "tasks">;
  readonly codeIndex: Pick<CodeIndex, "find">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
}

/** What will run for an edited spec, and why. */
export async function rebuildPlan(stores: EarlierStores, projectId: string, spec: ProductSpec): Promise<RebuildPlan> {
  return planRebuild(await earlierProject(stores, projectId), nextTasks(spec));
}

/** The same plan, with the tasks and contracts it carries over. */
export async function carriedFrom(stores: EarlierStores, projectId: string, spec: ProductSpec): Promise<Carried> {
  const earlier = await earlierProject(stores, projectId);
  const plan = planRebuild(earlier, nextTasks(spec));
  const kept = new Set(plan.tasks.flatMap(({ action, module_refs }) => (action === "keep" ? module_refs : [])));
  const modules = await Promise.all([...kept].map(async (ref) => [ref, await stores.store.shippedModule(ref)] as const));
  const contracts = modules.flatMap(([ref, module]) => (module === null ? [] : [[ref, dependencyContract(module)] as const]));
  return { plan, tasks: earlier.tasks, contracts: new Map(contracts) };
}

function nextTasks(spec: ProductSpec): NextTask[] {
  const nodeOf = nodeReader();
  return nameTasks(spec).map((named) => ({ task_id: named.task_id, name: named.task.name, node: nodeOf(named) }));
}

async function earlierProject(stores: EarlierStores, projectId: string): Promise<EarlierProject> {
  const tasks = await stores.projects.tasks(projectId);
  const refs = new Set(tasks.flatMap(({ entry, sheet }) => [...entry.module_refs, ...(sheet.before?.module_refs ?? [])]));
  const places = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const ref of refs) {
    const place = await currentVersionOf(stores.codeIndex, ref);
    places.set(ref, place);
    const problem = await problemOf(stores, place);
    if (problem !== null) problems.set(place, problem);
  }
  return {
    project_id: projectId,
    tasks,
    problemOf: (ref) => problems.get(ref) ?? null,
    inPlaceOf: (ref) => places.get(ref) ?? ref,
  };
}

/** Why no release could contain a module: it is not in use, or it calls one that is not. */
async function problemOf({ codeIndex, store }: EarlierStores, ref: string): Promise<string | null> {
  const status = (await codeIndex.find(ref))?.status ?? "not in the code index";
  if (status !== "SHIPPED") return `${ref} is ${status}`;
  for (const called of (await store.shippedModule(ref))?.depends_on ?? []) {
    const its = (await codeIndex.find(called))?.status ?? "not in the code index";
    if (its !== "SHIPPED") return `${ref} calls ${called}, which is ${its}`;
  }
  return null;
}
