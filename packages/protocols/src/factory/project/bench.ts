import { migrateFactory } from "../tables.ts";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openProjects } from "../projects/projects.ts";
import { openRecords } from "@slipway/kernel/open-records";
import type { ProductSpec } from "../product/spec.ts";
import { openBoard, type Board } from "./board.ts";
import { initialiseProject } from "./initialise.ts";
import { projectStatus, type ProjectRecords } from "./project.ts";

export interface ProjectFigures {
  readonly tasks: number;
  /** All checks, files and rows. */
  readonly initialiseMs: number;
  /** Selects, starts and ships a task. */
  readonly dispatchUs: number;
  /** Halts a task with all its dependents, and resolves it. */
  readonly cascadeUs: number;
  readonly viewUs: number;
  /** One change with its rows and its journal event. */
  readonly changeUs: number;
  /** From the database, as a command reads it. */
  readonly statusUs: number;
}

const AT = "2026-01-02T03:04:05Z";
/** Each of these is a synchronous commit. */
const CHANGES = 20;
const SYSTEM = { type: "system", id: "bench" } as const;

/** Measures without asserting: each figure is the median of its rounds. The files stay in the folder. */
export async function measureProject(spec: ProductSpec, folder: string, rounds = 1000): Promise<ProjectFigures> {
  const root = mkdtempSync(join(folder, "project-"));
  const records = await openRecords({ layout: layoutAt(root) });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  try {
    const projects: ProjectRecords["projects"] = openProjects({ db: records.database.db, door: records.door });
    const projectStore = { projects, stateStore: records.layout.stateStore, clock: records.clock };
    const started = performance.now();
    const project = await initialiseProject(projectStore, { actor: SYSTEM, operationId: "initialise" }, "bench", spec);
    const initialiseMs = performance.now() - started;
    const entries = project.machine().tasks;
    const fresh = () => openBoard(entries, { verify: false });
    const viewing = fresh();
    return {
      tasks: Object.keys(entries).length,
      initialiseMs,
      dispatchUs: await medianUs(rounds, onBoards(fresh, shipNext)),
      cascadeUs: await medianUs(rounds, onBoards(fresh, haltAndRequeue)),
      viewUs: await medianUs(rounds, () => () => void viewing.view()),
      changeUs: await medianUs(CHANGES, (round) => async () => {
        const task = project.board().next() ?? "";
        await project.apply({ actor: SYSTEM, operationId: `start ${round}` }, { kind: "dispatch", task });
        await project.apply({ actor: SYSTEM, operationId: `ship ${round}` }, shipped(task));
      }),
      statusUs: await medianUs(CHANGES, () => async () => void (await projectStatus(projectStore))),
    };
  } finally {
    await records.close();
  }
}

/** A small board runs out of tasks, so a new one is opened; opening it is not measured. */
function onBoards(fresh: () => Board, work: (board: Board, task: string) => void): () => () => void {
  let board = fresh();
  return () => {
    if (board.next() === null) board = fresh();
    return () => work(board, board.next() ?? "");
  };
}

function shipNext(board: Board, task: string): void {
  board.apply({ kind: "dispatch", task });
  board.apply(shipped(task));
}

function haltAndRequeue(board: Board, task: string): void {
  board.apply({ kind: "dispatch", task });
  board.apply({ kind: "halt", task, reason: "measured", escalation_ref: "ESC-00000000" });
  board.apply({ kind: "requeue", task, by: "AMEND_SPEC" });
}

function shipped(task: string) {
  return { kind: "ship" as const, task, module_refs: ["MM-measured@1.0.0"], at: AT };
}

/** Each round is prepared before it is timed, and the first half only warms up. */
async function medianUs(rounds: number, ready: (round: number) => () => void | Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    const work = ready(round);
    const started = performance.now();
    await work();
    if (round >= rounds) took.push((performance.now() - started) * 1000);
  }
  return took.toSorted((left, right) => left - right)[Math.floor(rounds / 2)] ?? 0;
}
