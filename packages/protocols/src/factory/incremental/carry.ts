import { idOf } from "../engineering/order.ts";
import { openBoard } from "../project/board.ts";
import { withBlocked } from "../project/cascade.ts";
import { filesOf, type PlannedTask, type ProjectPlan } from "../project/plan.ts";
import type { TaskDetails } from "../project/task-details.ts";
import type { Task } from "../project/state.ts";
import type { DependencyContract } from "../project/task-file.ts";
import type { EarlierTask, RebuildPlan, TaskStep } from "./plan.ts";

export interface Carried {
  readonly plan: RebuildPlan;
  readonly tasks: readonly EarlierTask[];
  /** The contracts of kept modules, for tasks that build on them. */
  readonly contracts: ReadonlyMap<string, DependencyContract>;
}

/** The plan of an edited spec with everything that stays: shipped tasks with their modules, and people's decisions. */
export function carryOver(planned: ProjectPlan, { plan, tasks: earlier, contracts }: Carried): ProjectPlan {
  const stepOf = new Map(plan.tasks.map((step) => [step.task_id, step]));
  const shared = sharedModules(plan);
  const wasOf = new Map(earlier.map((task) => [task.task_id, task]));
  const carried = planned.tasks.map((task): PlannedTask => {
    const step = stepOf.get(task.task_id);
    const was = wasOf.get(step?.was ?? "");
    return step === undefined || was === undefined ? task : { ...task, ...carriedTask(task, step, was, shared) };
  });
  const entries = withBlocked(Object.fromEntries(carried.map(({ task_id, entry }) => [task_id, entry])));
  const tasks = carried.map((task) => ({ ...task, entry: entries[task.task_id] ?? task.entry }));
  const { view } = openBoard(entries, { verify: false });
  const shippedBy = (id: string) => (stepOf.get(id)?.action === "keep" ? (entries[id]?.module_refs ?? []) : []);
  return {
    ...planned,
    tasks,
    view: view(),
    files: filesOf(tasks, { contractsOf: (id) => shippedBy(id).flatMap((ref) => contracts.get(ref) ?? []) }),
  };
}

function carriedTask(
  task: PlannedTask,
  step: TaskStep,
  was: EarlierTask,
  shared: ReadonlySet<string>,
): Pick<PlannedTask, "entry" | "sheet"> {
  const { entry, sheet } = task;
  const { action, module_refs } = step;
  if (action === "keep") return { entry: shipped(entry, module_refs, was.entry), sheet: amendedAs(sheet, was.sheet) };
  if (action === "abandoned") return { entry: { ...entry, status: "ABANDONED" }, sheet: amendedAs(sheet, was.sheet) };
  const revisable = module_refs.map(idOf).filter((id) => !shared.has(id));
  const before = { action, because: [...step.because], module_refs: [...module_refs], revisable: [...new Set(revisable)] };
  // A person's amendment holds as long as the amended text is unchanged.
  return { entry, sheet: { ...(step.changed ? sheet : amendedAs(sheet, was.sheet)), before } };
}

function sharedModules({ tasks }: RebuildPlan): Set<string> {
  const owner = new Map<string, string>();
  const shared = new Set<string>();
  for (const { task_id, module_refs } of tasks) {
    for (const id of module_refs.map(idOf)) if ((owner.get(id) ?? task_id) !== task_id) shared.add(id);
    for (const id of module_refs.map(idOf)) owner.set(id, task_id);
  }
  return shared;
}

function shipped(entry: Task, refs: readonly string[], { shipped_at }: Task): Task {
  return { ...entry, status: "SHIPPED", module_ref: refs.at(-1) ?? null, module_refs: [...refs], shipped_at };
}

function amendedAs(sheet: TaskDetails, { acceptance_criteria, amendments }: TaskDetails): TaskDetails {
  return amendments.length === 0 ? sheet : { ...sheet, acceptance_criteria, amendments };
}
