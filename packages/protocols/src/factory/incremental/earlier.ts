import type { CodeIndex } from "../code-index/code-index.ts";
import type { ProductSpec } from "../product/spec.ts";
import { dependencyContract, inPlaceOf } from "../preparing.ts";
import { nameTasks } from "../project/naming.ts";
import type { ProjectStore } from "../project/project.ts";
import type { EngineeringStore } from "../engineering/ports.ts";
import type { Carried } from "./carry.ts";
import { nodeReader } from "./node.ts";
import { planRebuild, type EarlierProject, type NextTask, type RebuildPlan } from "./plan.ts";

export interface EarlierRooms {
  readonly projects: Pick<ProjectStore, "tasks">;
  readonly codeIndex: Pick<CodeIndex, "find">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
}

/** What will run and why, of a spec that was made from an edited page. */
export async function rebuildPlan(rooms: EarlierRooms, projectId: string, spec: ProductSpec): Promise<RebuildPlan> {
  return planRebuild(await earlierProject(rooms, projectId), nextTasks(spec));
}

/** The same, with everything that is taken over. */
export async function carriedFrom(rooms: EarlierRooms, projectId: string, spec: ProductSpec): Promise<Carried> {
  const earlier = await earlierProject(rooms, projectId);
  const plan = planRebuild(earlier, nextTasks(spec));
  const kept = new Set(plan.tasks.flatMap(({ action, module_refs }) => (action === "keep" ? module_refs : [])));
  const modules = await Promise.all([...kept].map(async (ref) => [ref, await rooms.store.shippedModule(ref)] as const));
  const contracts = modules.flatMap(([ref, module]) => (module === null ? [] : [[ref, dependencyContract(module)] as const]));
  return { plan, tasks: earlier.tasks, contracts: new Map(contracts) };
}

function nextTasks(spec: ProductSpec): NextTask[] {
  const nodeOf = nodeReader();
  return nameTasks(spec).map((named) => ({ task_id: named.task_id, name: named.task.name, node: nodeOf(named) }));
}

async function earlierProject(rooms: EarlierRooms, projectId: string): Promise<EarlierProject> {
  const tasks = await rooms.projects.tasks(projectId);
  const refs = new Set(tasks.flatMap(({ entry, sheet }) => [...entry.module_refs, ...(sheet.before?.module_refs ?? [])]));
  const places = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const ref of refs) {
    const place = await inPlaceOf(rooms.codeIndex, ref);
    places.set(ref, place);
    const problem = await problemOf(rooms, place);
    if (problem !== null) problems.set(place, problem);
  }
  return {
    project_id: projectId,
    tasks,
    problemOf: (ref) => problems.get(ref) ?? null,
    inPlaceOf: (ref) => places.get(ref) ?? ref,
  };
}

/** No release could have it: it is out of use itself, or calls something that is. */
async function problemOf({ codeIndex, store }: EarlierRooms, ref: string): Promise<string | null> {
  const status = (await codeIndex.find(ref))?.status ?? "not in the code index";
  if (status !== "SHIPPED") return `${ref} is ${status}`;
  for (const called of (await store.shippedModule(ref))?.depends_on ?? []) {
    const its = (await codeIndex.find(called))?.status ?? "not in the code index";
    if (its !== "SHIPPED") return `${ref} calls ${called}, which is ${its}`;
  }
  return null;
}
