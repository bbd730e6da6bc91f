import { sha256 } from "@slipway/durable/canonical";
import type { ProductSpec } from "../product/spec.ts";
import { nodeReader } from "../incremental/node.ts";
import { openBoard } from "./board.ts";
import { nameTasks, shown, specDefect, type NamedTask } from "./task-names.ts";
import { taskDetailsOf, type TaskDetails } from "./task-details.ts";
import type { Task } from "./state.ts";
import type { ProjectView } from "./status.ts";
import { sketchedDependency, taskFile, type DependencyContract } from "./task-file.ts";

export interface PlannedTask {
  readonly task_id: string;
  readonly declaration_order: number;
  readonly entry: Task;
  readonly sheet: TaskDetails;
}

/** A whole project before it is written. Equal specs give equal plans. */
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
  const nodeOf = nodeReader();
  const idOf = new Map(named.map(({ task, task_id }) => [task.task_id, task_id]));
  const tasks = named.map((here): PlannedTask => {
    const dependsOn = [...new Set(here.task.depends_on ?? [])].map((spec_id) => resolved(idOf, here, spec_id));
    const { task_id, declaration_order } = here;
    const sheet = { ...taskDetailsOf(here, dependsOn), node: nodeOf(here) };
    return { task_id, declaration_order, entry: freshTask(here.slugs, dependsOn, declaration_order), sheet };
  });
  // Opening the board rejects cycles before anything is written.
  const { view } = openBoard(Object.fromEntries(tasks.map(({ task_id, entry }) => [task_id, entry])), { verify: false });
  const files = filesOf(tasks);
  return { spec_version: spec.spec_version, tasks, files, view: view(), digest: digestOfFiles(files) };
}

export interface OtherTasks {
  /** Details of tasks that are not in this list. */
  readonly sheetOf?: (taskId: string) => TaskDetails | undefined;
  /** The contracts a task has shipped; none before it ships. */
  readonly contractsOf?: (taskId: string) => readonly DependencyContract[];
}

export function filesOf(tasks: readonly PlannedTask[], { sheetOf: other = () => undefined, contractsOf = () => [] }: OtherTasks = {}) {
  const sheets = new Map(tasks.map(({ task_id, sheet }) => [task_id, sheet]));
  const known = (id: string): readonly DependencyContract[] => {
    const shipped = contractsOf(id);
    if (shipped.length > 0) return shipped;
    const sheet = sheets.get(id) ?? other(id);
    return sheet === undefined ? [] : [sketchedDependency(sheet)];
  };
  return tasks.map(({ sheet }) => ({ path: sheet.path, text: taskFile(sheet, sheet.depends_on.flatMap(known)) }));
}

function resolved(idOf: ReadonlyMap<string, string>, { task }: NamedTask, specId: string): string {
  const id = idOf.get(specId);
  if (id !== undefined) return id;
  throw specDefect(
    `The task "${shown(task.name)}" (${task.task_id}) depends on ${specId}, which is no task of the spec.`,
    { task: task.name, depends_on: specId },
    "Name a task of the spec, or leave the dependency out.",
  );
}

/** No path or text contains NUL, so equal digests mean equal plans. */
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
