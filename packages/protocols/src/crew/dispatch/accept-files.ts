import { refused, valueOf, type Read } from "../contract/problems.ts";
import { acceptStatusEdit } from "../session/edits.ts";
import { createdStatus } from "../session/first-status.ts";
import { parseStatus, type CrewStatus } from "../session/status.ts";
import { acceptTasksEdit } from "../session/task-edits.ts";
import { parseTasks, TASKS_FILE, type TasksFile } from "../session/tasks.ts";
import type { Judging } from "./judge-answer.ts";

export const STATUS_FILE = "status.json";

export interface AcceptedFiles {
  /** Every written file but the two that have writers for their parts. */
  readonly texts: Readonly<Record<string, string | null>>;
  readonly status: CrewStatus | null;
  /** The plan as it is after the dispatch; null if there is none. */
  readonly tasks: TasksFile | null;
  readonly violations: readonly string[];
}

/** What of the session's written files counts. A plan's author writes the plan; others only edit parts of status.json and tasks.yaml. */
export function acceptFiles(written: Readonly<Record<string, string | null>>, judging: Judging): Read<AcceptedFiles> {
  const { [STATUS_FILE]: statusText, [TASKS_FILE]: tasksText, ...texts } = written;
  const status = statusText === undefined ? { ok: true as const, value: null } : acceptStatus(statusText, judging);
  if (!status.ok) return status;
  const tasks = acceptTasks(tasksText, judging);
  if (!tasks.ok) return tasks;
  const violations = [...(status.value?.violations ?? []), ...tasks.value.violations];
  return { ok: true, value: { texts, status: status.value?.next ?? null, tasks: tasks.value.next, violations } };
}

interface Edited<T> {
  readonly next: T;
  readonly violations: readonly string[];
}

function acceptStatus(text: string | null, { status, order, session, at }: Judging): Read<Edited<CrewStatus>> {
  if (status !== null) return { ok: true, value: acceptStatusEdit(status, text, order.role) };
  if (order.role !== "SpecAgent" || text === null) return refused([`status.json: ${order.role} does not create it`]);
  const created = createdStatus(text, { session, mode: order.mode, at });
  return created.ok ? { ok: true, value: { next: created.value, violations: [] } } : created;
}

function acceptTasks(text: string | null | undefined, { order, opened }: Judging): Read<Edited<TasksFile | null>> {
  const { role, taskId, mode } = order;
  const before = valueOf(parseTasks(opened.files[TASKS_FILE] ?? "", mode));
  const isAuthor = role === "Planner" || (role === "SpecAgent" && mode === "lean");
  if (isAuthor && text !== undefined && text !== null) {
    const plan = parseTasks(text, mode);
    return plan.ok ? { ok: true, value: { next: plan.value, violations: [] } } : plan;
  }
  if (text === undefined) return { ok: true, value: { next: before, violations: [] } };
  if (before === null) return refused([`tasks.yaml: ${role} does not create it`]);
  return { ok: true, value: acceptTasksEdit(before, text, { role, taskId, mode }) };
}

/** The recorded status; null before SpecAgent has created it. */
export function recordedStatus(text: string | null | undefined): CrewStatus | null {
  return text === null || text === undefined ? null : valueOf(parseStatus(text));
}
