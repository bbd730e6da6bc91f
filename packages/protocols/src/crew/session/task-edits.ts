import { isDeepStrictEqual } from "node:util";
import type { DispatchedRole } from "../agents.ts";
import type { CrewMode } from "../states/states.ts";
import type { AcceptedEdit } from "./edits.ts";
import { mayMoveTask, maySetTask } from "./task-moves.ts";
import { parseTasks, type CrewTask, type TasksFile, type CrewTaskStatus } from "./tasks.ts";

export interface TaskEditBy {
  readonly role: DispatchedRole;
  /** The dispatched task. */
  readonly taskId: string;
  readonly mode: CrewMode;
}

/** `edited` is the text of tasks.yaml after a dispatch. What counts of it: the status of the agent's own task, along the table. */
export function acceptTasksEdit(before: TasksFile, edited: string | null, by: TaskEditBy): AcceptedEdit<TasksFile> {
  if (edited === null) return { next: before, violations: [`${by.role} deleted tasks.yaml; it is restored.`] };
  const read = parseTasks(edited, by.mode);
  if (!read.ok)
    return { next: before, violations: [`${by.role} left a tasks.yaml that is not valid; it is restored. ${read.problems.join("; ")}`] };
  const after = new Map(read.value.tasks.map((task) => [task.id, task]));
  const judged = before.tasks.map((task) => judge(task, after.get(task.id), by));
  const added = [...after.keys()].filter((id) => !before.tasks.some((task) => task.id === id));
  return {
    next: { ...before, tasks: judged.map(({ task }) => task) },
    violations: [
      ...judged.flatMap(({ violations }) => violations),
      ...added.map((id) => `${by.role} added ${id} to tasks.yaml; it is removed.`),
      ...(isDeepStrictEqual(before.project, read.value.project)
        ? []
        : [`${by.role} changed project in tasks.yaml; the edit is discarded.`]),
    ],
  };
}

function judge(before: CrewTask, after: CrewTask | undefined, { role, taskId, mode }: TaskEditBy) {
  const { id } = before;
  if (after === undefined) return { task: before, violations: [`${role} removed ${id} from tasks.yaml; it is restored.`] };
  const isOtherwiseSame = isDeepStrictEqual({ ...after, status: before.status }, before);
  const violations = isOtherwiseSame ? [] : [`${role} changed more than the status of ${id} in tasks.yaml; that is discarded.`];
  if (after.status === before.status) return { task: before, violations };
  const refusal = whyNot(before.status, after.status, { role, own: id === taskId, mode });
  if (refusal === null) return { task: { ...before, status: after.status }, violations };
  return {
    task: before,
    violations: [...violations, `${role} set ${id} to ${after.status} in tasks.yaml, but ${refusal}; ${before.status} is kept.`],
  };
}

interface Setting {
  readonly role: DispatchedRole;
  readonly own: boolean;
  readonly mode: CrewMode;
}

function whyNot(from: CrewTaskStatus, to: CrewTaskStatus, { role, own, mode }: Setting): string | null {
  if (!own) return "that is not its task";
  if (!maySetTask(role, to, mode)) return `${role} does not set ${to}`;
  return path(from, to) ? null : `a task that is ${from} does not become ${to}`;
}

/** Only the file before and after a dispatch is seen, so Coder's two moves may appear as one. */
function path(from: CrewTaskStatus, to: CrewTaskStatus): boolean {
  return mayMoveTask(from, to) || (to === "implemented" && mayMoveTask(from, "in-progress"));
}

/** A plan as its author leaves it: every task is `not-started`, or as it was before a plan that is corrected. */
export function planProblems(plan: TasksFile, before: TasksFile | null): string[] {
  const known = new Map(before?.tasks.map(({ id, status }) => [id, status]));
  return plan.tasks
    .filter(({ id, status }) => status !== (known.get(id) ?? "not-started"))
    .map(({ id, status }) => `tasks.yaml: ${id} begins as ${status}; must be ${known.get(id) ?? "not-started"}`);
}
