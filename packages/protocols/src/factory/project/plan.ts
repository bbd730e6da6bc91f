import { sha256 } from "@slipway/durable/canonical";
import type { ProductSpec } from "../product/spec.ts";
import { openBoard } from "./board.ts";
import { nameTasks, specDefect, type NamedTask } from "./naming.ts";
import { sheetOf, type TaskSheet } from "./sheet.ts";
import type { Task } from "./state.ts";
import type { ProjectView } from "./status.ts";
import { sketchedDependency, taskFile } from "./task-file.ts";

export interface PlannedTask {
  readonly task_id: string;
  readonly declaration_order: number;
  readonly entry: Task;
  readonly sheet: TaskSheet;
}

/** A whole project before anything of it is written. The same spec gives the same plan. */
export interface ProjectPlan {
  readonly spec_version: string;
  /** In the order of the spec. */
  readonly tasks: readonly PlannedTask[];
  /** Path in the state store, and text. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly view: ProjectView;
  readonly digest: string;
}

export function planProject(spec: ProductSpec): ProjectPlan {
  const named = nameTasks(spec);
  const idOf = new Map(named.map(({ task, task_id }) => [task.task_id, task_id]));
  const tasks = named.map((here): PlannedTask => {
    const dependsOn = [...new Set(here.task.depends_on ?? [])].map((spec_id) => resolved(idOf, here, spec_id));
    const { task_id, declaration_order } = here;
    return { task_id, declaration_order, entry: freshTask(here.slugs, dependsOn, declaration_order), sheet: sheetOf(here, dependsOn) };
  });
  // Building it finds a circle, before anything is written.
  const { view } = openBoard(Object.fromEntries(tasks.map(({ task_id, entry }) => [task_id, entry])), { verify: false });
  const files = filesOf(tasks);
  return { spec_version: spec.spec_version, tasks, files, view: view(), digest: digestOfFiles(files) };
}

export function filesOf(tasks: readonly PlannedTask[], others: (taskId: string) => TaskSheet | undefined = () => undefined) {
  const sheets = new Map(tasks.map(({ task_id, sheet }) => [task_id, sheet]));
  return tasks.map(({ sheet }) => {
    const dependencies = sheet.depends_on.flatMap((id) => sheets.get(id) ?? others(id) ?? []);
    return { path: sheet.path, text: taskFile(sheet, dependencies.map(sketchedDependency)) };
  });
}

function resolved(idOf: ReadonlyMap<string, string>, { task }: NamedTask, specId: string): string {
  const id = idOf.get(specId);
  if (id !== undefined) return id;
  throw specDefect(
    `The task "${task.name}" (${task.task_id}) depends on ${specId}, which is no task of the spec.`,
    { task: task.name, depends_on: specId },
    "Name a task of the spec, or leave the dependency out.",
  );
}

/** No path and no text has a NUL in it, so two plans with one digest are the same plan. */
function digestOfFiles(files: ProjectPlan["files"]): string {
  return sha256(files.map(({ path, text }) => `${path}\0${text.replaceAll("\0", "")}`).join("\0"));
}

export function freshTask(slugs: NamedTask["slugs"], dependsOn: readonly string[], order: number): Task {
  return {
    ...slugs,
    status: "PENDING",
    depends_on: [...dependsOn],
    module_ref: null,
    module_refs: [],
    shipped_at: null,
    halted_reason: null,
    escalation_ref: null,
    declaration_order: order,
  };
}
