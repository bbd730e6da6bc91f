import type { TaskSheet } from "../project/sheet.ts";
import type { Task } from "../project/state.ts";
import { changedFields, matchNodes } from "./match.ts";
import type { SpecNode } from "./node.ts";

/**
 * keep: shipped, and taken over as it is. recheck: the same, if the interfaces it was built against are still there when its turn
 * comes. rebuild: it was shipped, and is planned and built again. build: it never was. abandoned: given up before, and stays so.
 */
export type Action = "keep" | "recheck" | "rebuild" | "build" | "abandoned";

export interface TaskStep {
  readonly task_id: string;
  readonly spec_task_id: string;
  readonly name: string;
  readonly action: Action;
  readonly because: readonly string[];
  /** Its own text is not as it was. */
  readonly changed: boolean;
  /** What an earlier run has shipped of it. */
  readonly module_refs: readonly string[];
  /** The task of the earlier project; its id may have been another. */
  readonly was: string | null;
}

export interface RebuildPlan {
  readonly previous: string;
  /** In the order of the spec. */
  readonly tasks: readonly TaskStep[];
  /** Not in the spec any more: out of the release. */
  readonly removed: readonly Pick<TaskStep, "task_id" | "name" | "module_refs">[];
}

export interface EarlierTask {
  readonly task_id: string;
  readonly entry: Task;
  readonly sheet: TaskSheet;
}

export interface EarlierProject {
  readonly project_id: string;
  readonly tasks: readonly EarlierTask[];
  /** What is wrong with a module of it today, if anything is. */
  readonly problemOf: (moduleRef: string) => string | null;
  /** What has taken its place. */
  readonly inPlaceOf: (moduleRef: string) => string;
}

export interface NextTask {
  readonly task_id: string;
  readonly name: string;
  readonly node: SpecNode;
}

/** What an edited spec makes of a project, before anything runs. */
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

/** What there is of a task: shipped, shipped by a project before and not looked at since, or nothing that could be taken over. */
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

/** Whatever depends on something that is built, near or far, is looked at again when that is there. */
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
    // Without a module there is nothing that could not fit any more.
    if (step.action !== "keep" || by === undefined || step.module_refs.length === 0) return step;
    return { ...step, action: "recheck", because: [`unchanged; depends on ${nameOf.get(by)}`] };
  });
}
