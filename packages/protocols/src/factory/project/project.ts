import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/agents/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import type { ProjectChange, ProjectHead, Projects } from "../projects/projects.ts";
import { openBoard, type Board } from "./board.ts";
import type { TaskChange } from "./changes.ts";
import { machineFile, type MachineFile } from "./machine-file.ts";
import type { TaskDetails } from "./task-details.ts";
import { refusedChange, type StateMachine, type Task } from "./state.ts";
import { decide, type LoopDecision, type ProjectView } from "./status.ts";
import { taskFile, type DependencyContract } from "./task-file.ts";

export type ProjectRows = Projects<Task, TaskDetails, ProjectView>;

export interface ProjectRecords {
  readonly projects: ProjectRows;
  /** `.slipway/state_store`. */
  readonly stateStore: string;
  readonly clock: Clock;
}

/** The current project. Rows are the record; board and files are derived from them. */
export interface Project {
  readonly id: string;
  decision(): LoopDecision;
  view(): ProjectView;
  task(id: string): Task;
  /** The whole state, for an escalation. */
  machine(): StateMachine;
  board(): Board;
  /** Applied once per call, or refused without a change. `sheets` has the details of added or amended tasks. */
  apply(call: Call, change: TaskChange, sheets?: Readonly<Record<string, TaskDetails>>): Promise<Task>;
  sheet(id: string): Promise<TaskDetails>;
  /** Writes the task's file with the current contracts of its dependencies, and returns it. */
  taskFile(id: string, dependencies: readonly DependencyContract[]): Promise<string>;
  /** Writes the state machine file; call it before the run pauses. */
  flush(): Promise<void>;
  /** Reloads the rows if another process changed them. False if another project has replaced this one. */
  refresh(): Promise<boolean>;
}

/** Null if no spec was planned here. */
export async function openProject(projectStore: ProjectRecords): Promise<Project | null> {
  const head = await projectStore.projects.head();
  return head === null ? null : openedProject(projectStore, head);
}

/** The head of the current project, without its tasks. */
export async function projectStatus({ projects }: Pick<ProjectRecords, "projects">): Promise<ProjectHead<ProjectView> | null> {
  return projects.head();
}

const TRIES = 3;

async function openedProject(projectStore: ProjectRecords, first: ProjectHead<ProjectView>): Promise<Project> {
  const { projects, stateStore } = projectStore;
  const files = projectedFiles(nodeFileSystem);
  const id = first.project_id;
  let head = first;
  let board: Board;
  let file: MachineFile = machineFile(projectStore, {});

  async function load(): Promise<void> {
    const now = await projects.head();
    if (now?.project_id === id) head = now;
    const tasks = Object.fromEntries(await projects.entries(id));
    board = openBoard(tasks);
    file = machineFile(projectStore, tasks);
  }

  function workOut(change: TaskChange, sheets: Readonly<Record<string, TaskDetails>>): ProjectChange<Task, TaskDetails, ProjectView> {
    const isNew = new Set(change.kind === "split" ? change.into.map(({ task_id }) => task_id) : []);
    const changed = board.apply(change);
    return {
      entries: changed.filter((task) => !isNew.has(task)).map((task_id) => ({ task_id, entry: board.task(task_id) })),
      sheets: Object.entries(sheets).flatMap(([task_id, sheet]) => (isNew.has(task_id) ? [] : [{ task_id, sheet }])),
      added: [...isNew].map((task_id) => {
        const entry = board.task(task_id);
        return { task_id, declaration_order: entry.declaration_order, entry, sheet: sheetFor(sheets, task_id) };
      }),
      summary: board.view(),
    };
  }

  async function attempt(call: Call, change: TaskChange, sheets: Readonly<Record<string, TaskDetails>>): Promise<void> {
    const worked: ProjectChange<Task, TaskDetails, ProjectView>[] = [];
    const expected = head.revision;
    head = await projects.change(call, id, change, (revision) => {
      if (revision !== expected) throw stale(id);
      const result = workOut(change, sheets);
      worked.push(result);
      return result;
    });
    // A repeated call is not computed again, and the board may be older than its result: reload.
    if (worked.length === 0) return load();
    for (const { entries, added } of worked) for (const { task_id, entry } of [...entries, ...added]) file.set(task_id, entry);
  }

  async function sheet(task: string): Promise<TaskDetails> {
    const found = await projects.sheet(id, task);
    if (found !== null) return found;
    throw refusedChange(task, `There is no task ${JSON.stringify(task.slice(0, 140))} in the project.`);
  }

  async function refresh(): Promise<boolean> {
    const now = await projects.head();
    if (now?.project_id !== id) return false;
    if (now.revision !== head.revision) await load();
    return true;
  }

  await load();
  return {
    id,
    refresh,
    decision: () => decide(board.view()),
    view: () => board.view(),
    task: (task) => board.task(task),
    board: () => board,
    machine() {
      const { project_id, spec_version, updated_at } = head;
      return { project_id, spec_version, updated_at: new Date(updated_at).toISOString(), tasks: board.tasks() };
    },
    async apply(call, change, sheets = {}) {
      for (let tried = 1; ; tried++) {
        try {
          await attempt(call, change, sheets);
          break;
        } catch (error) {
          // The transaction was rolled back, but the board may have changed: reload.
          await load();
          if (tried === TRIES || !(error instanceof SlipwayError) || error.code !== "version_conflict") throw error;
        }
      }
      const { complete, halted } = board.view();
      await file.write(head, complete || halted.length > 0 ? "now" : "soon");
      return board.task(change.task);
    },
    sheet,
    async taskFile(task, dependencies) {
      const made = await sheet(task);
      const text = taskFile(made, dependencies);
      await files.write(join(stateStore, made.path), text);
      return text;
    },
    async flush() {
      if (await refresh()) await file.write(head, "now");
    },
  };
}

function sheetFor(sheets: Readonly<Record<string, TaskDetails>>, task: string): TaskDetails {
  const sheet = sheets[task];
  if (sheet === undefined) throw refusedChange(task, `The new task ${task} has no details for its file.`);
  return sheet;
}

function stale(project: string): SlipwayError {
  return new SlipwayError("version_conflict", `The state of ${project} changed concurrently; nothing was written.`, {
    project_id: project,
    suggested_next_actions: ["Read the state again and retry."],
  });
}
