import type { TaskDetails } from "../project/task-details.ts";
import type { Task } from "../project/state.ts";
import { changedFields, matchNodes } from "./match.ts";
import type { SpecNode } from "./node.ts";

/**
 * keep: shipped, and kept. recheck: kept if the interfaces it was built against are unchanged when its turn comes. rebuild: shipped before,
 * planned and built again. build: not built before. abandoned: abandoned before, and stays so.
 */
export type Action = "keep" | "recheck" | "rebuild" | "build" | "abandoned";

export interface TaskStep {
  readonly task_id: string;
  readonly spec_task_id: string;
  readonly name: string;
  readonly action: Action;
  readonly because: readonly string[];
  /** Whether its own text changed. */
  readonly changed: boolean;
  /** Modules an earlier run shipped for it. */
  readonly module_refs: readonly string[];
  /** The id of the task in the earlier project, which may differ. */
  readonly was: string | null;
}

export interface RebuildPlan {
  readonly previous: string;
  /** In the order of the spec. */
  readonly tasks: readonly TaskStep[];
  /** No longer in the spec, so not in the release. */
  readonly removed: readonly Pick<TaskStep, "task_id" | "name" | "module_refs">[];
}

export interface EarlierTask {
  readonly task_id: string;
  readonly entry: Task;
  readonly sheet: TaskDetails;
}

export interface EarlierProject {
  readonly project_id: string;
  readonly tasks: readonly EarlierTask[];
  /** Why a module cannot be used today, or null. */
  readonly problemOf: (moduleRef: string) => string | null;
  /** The version that superseded it, or the version itself. */
  readonly inPlaceOf: (moduleRef: string) => string;
}

export interface NextTask {
  readonly task_id: string;
  readonly name: string;
  readonly node: SpecNode;
}

/** Plans what an edited spec keeps, checks and builds. */
export function planRebuild(earlier: EarlierProject, next: readonly NextTask[]): RebuildPlan {
  const byNode = new Map(earlier.tasks.flatMap((task) => (task.sheet.node === undefined ? [] : [[task.sheet.node.spec_task_id, task]])));
  const nodes = [...byNode.values()].flatMap(({ sheet }) => sheet.node ?? []);
  const matched = matchNodes(
    nodes,
    next.map(({ node }) => node),
  );
  const steps = next.map((task): TaskStep => {
    const was = matched.get(task.node.spec_task_id);
    const before = was === undefined ? undefined : byNode.get(was.spec_task_id);
    const about = { task_id: task.task_id, spec_task_id: task.node.spec_task_id, name: task.name };
    if (was === undefined || before === undefined)
      return { ...about, action: "build", because: ["new"], changed: true, module_refs: [], was: null };
    const changed = changedFields(was, task.node, matched);
    return { ...about, was: before.task_id, changed: changed.length > 0, ...fateOf(earlier, before, changed) };
  });
  const found = new Set(steps.flatMap(({ was }) => was ?? []));
  const removed = [...byNode.values()].filter(({ task_id }) => !found.has(task_id));
  return {
    previous: earlier.project_id,
    tasks: rechecked(steps, next),
    removed: removed.map((task) => ({ task_id: task.task_id, name: task.sheet.name, module_refs: madeBy(earlier, task).module_refs })),
  };
}

function fateOf(
  earlier: EarlierProject,
  before: EarlierTask,
  changed: readonly string[],
): Pick<TaskStep, "action" | "because" | "module_refs"> {
  const { status } = before.entry;
  const { state, module_refs } = madeBy(earlier, before);
  const lost = module_refs.flatMap((ref) => earlier.problemOf(ref) ?? []);
  const again = module_refs.length > 0 ? "rebuild" : "build";
  if (changed.length > 0) return { action: again, because: changed.map((field) => `${field} changed`), module_refs };
  if (state === "none" && status === "ABANDONED" && before.entry.superseded_by === undefined)
    return { action: "abandoned", because: ["abandoned before, and unchanged"], module_refs: [] };
  if (state === "none") return { action: again, because: [`not finished before (${status})`], module_refs };
  if (lost.length > 0) return { action: again, because: lost, module_refs };
  return { action: state === "unchecked" ? "recheck" : "keep", because: ["unchanged"], module_refs };
}

/** What exists of a task: shipped; shipped by an earlier project and not checked since; or nothing. */
function madeBy(
  earlier: EarlierProject,
  { entry, sheet }: EarlierTask,
): { readonly state: "shipped" | "unchecked" | "none"; readonly module_refs: readonly string[] } {
  const current = (refs: readonly string[]) => [...new Set(refs.map(earlier.inPlaceOf))];
  if (entry.status === "SHIPPED") return { state: "shipped", module_refs: current(entry.module_refs) };
  const parts = (entry.superseded_by ?? []).map((id) => earlier.tasks.find(({ task_id }) => task_id === id));
  const made = parts.map((part) => (part === undefined ? null : madeBy(earlier, part)));
  if (made.length > 0 && made.every((part) => part?.state === "shipped"))
    return { state: "shipped", module_refs: current(made.flatMap((part) => part?.module_refs ?? [])) };
  if (sheet.before === undefined) return { state: "none", module_refs: [] };
  return { state: sheet.before.action === "recheck" ? "unchecked" : "none", module_refs: current(sheet.before.module_refs) };
}

/** Tasks that depend on a built one, directly or indirectly, are rechecked once it is built. */
function rechecked(steps: readonly TaskStep[], next: readonly NextTask[]): TaskStep[] {
  const dependents = new Map<string, string[]>();
  for (const { node } of next) {
    for (const id of node.depends_on) dependents.set(id, [...(dependents.get(id) ?? []), node.spec_task_id]);
  }
  const isBuilt = ({ action }: TaskStep) => action === "build" || action === "rebuild" || action === "recheck";
  const reached = new Map<string, string>();
  const queue = steps.filter(isBuilt).map(({ spec_task_id }) => spec_task_id);
  for (const id of queue) {
    for (const dependent of dependents.get(id) ?? []) {
      if (reached.has(dependent)) continue;
      reached.set(dependent, id);
      queue.push(dependent);
    }
  }
  const nameOf = new Map(steps.map(({ spec_task_id, task_id }) => [spec_task_id, task_id]));
  return steps.map((step) => {
    const by = reached.get(step.spec_task_id);
    // A task without modules has no interface that could break.
    if (step.action !== "keep" || by === undefined || step.module_refs.length === 0) return step;
    return { ...step, action: "recheck", because: [`unchanged; depends on ${nameOf.get(by)}`] };
  });
}
