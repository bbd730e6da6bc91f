import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import type { ProjectChange, ProjectHead, Projects } from "../projects/projects.ts";
import { openBoard, type Board } from "./board.ts";
import type { Change } from "./changes.ts";
import { machineFile, type MachineFile } from "./machine-file.ts";
import type { TaskSheet } from "./sheet.ts";
import { refusedChange, type StateMachine, type Task } from "./state.ts";
import { decide, type Decision, type ProjectView } from "./status.ts";
import { taskFile, type DependencyContract } from "./task-file.ts";

export type ProjectStore = Projects<Task, TaskSheet, ProjectView>;

export interface ProjectRoom {
  readonly projects: ProjectStore;
  /** `.slipway/state_store`. */
  readonly stateStore: string;
  readonly clock: Clock;
}

/** The project at work. Its rows are the record; the board and the files are made from them. */
export interface Project {
  readonly id: string;
  decision(): Decision;
  view(): ProjectView;
  task(id: string): Task;
  /** All of it, for an escalation. */
  machine(): StateMachine;
  board(): Board;
  /** Done once for each call, or refused with nothing changed. Sheets go with tasks that are added or amended. */
  apply(call: Call, change: Change, sheets?: Readonly<Record<string, TaskSheet>>): Promise<Task>;
  sheet(id: string): Promise<TaskSheet>;
  /** Writes the task's file with what its dependencies are now, and returns it. */
  taskFile(id: string, dependencies: readonly DependencyContract[]): Promise<string>;
  /** At the latest when nobody works on it any more. */
  flush(): Promise<void>;
  /** As the rows are now: somebody else may have changed them. False when another project has taken its place. */
  refresh(): Promise<boolean>;
}

/** Null when no spec was ever planned here. */
export async function openProject(room: ProjectRoom): Promise<Project | null> {
  const head = await room.projects.head();
  return head === null ? null : openedProject(room, head);
}

/** Of the project at work, without going through its tasks. */
export async function projectStatus({ projects }: Pick<ProjectRoom, "projects">): Promise<ProjectHead<ProjectView> | null> {
  return projects.head();
}

const TRIES = 3;

async function openedProject(room: ProjectRoom, first: ProjectHead<ProjectView>): Promise<Project> {
  const { projects, stateStore } = room;
  const files = projectedFiles(nodeFileSystem);
  const id = first.project_id;
  let head = first;
  let board: Board;
  let file: MachineFile = machineFile(room, {});

  async function load(): Promise<void> {
    const now = await projects.head();
    if (now?.project_id === id) head = now;
    const tasks = Object.fromEntries(await projects.entries(id));
    board = openBoard(tasks);
    file = machineFile(room, tasks);
  }

  function workOut(change: Change, sheets: Readonly<Record<string, TaskSheet>>): ProjectChange<Task, TaskSheet, ProjectView> {
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

  async function attempt(call: Call, change: Change, sheets: Readonly<Record<string, TaskSheet>>): Promise<void> {
    const worked: ProjectChange<Task, TaskSheet, ProjectView>[] = [];
    const expected = head.revision;
    head = await projects.change(call, id, change, (revision) => {
      if (revision !== expected) throw stale(id);
      const result = workOut(change, sheets);
      worked.push(result);
      return result;
    });
    // A repeat is not worked out again: the board may be older than what was done.
    if (worked.length === 0) return load();
    for (const { entries, added } of worked) for (const { task_id, entry } of [...entries, ...added]) file.set(task_id, entry);
  }

  async function sheet(task: string): Promise<TaskSheet> {
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
          // The rows are as they were, and the board may not be.
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

function sheetFor(sheets: Readonly<Record<string, TaskSheet>>, task: string): TaskSheet {
  const sheet = sheets[task];
  if (sheet === undefined) throw refusedChange(task, `The new task ${task} has no sheet to make its file from.`);
  return sheet;
}

function stale(project: string): SlipwayError {
  return new SlipwayError("version_conflict", `The state of ${project} was changed by somebody else; nothing was written.`, {
    project_id: project,
    suggested_next_actions: ["Read the state again and decide anew."],
  });
}
