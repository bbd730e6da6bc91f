import { SlipwayError } from "@slipway/agents/errors";
import type { DispatchedRole } from "../agents.ts";
import type { CrewMode } from "../states/states.ts";
import type { TasksFile, CrewTaskStatus } from "./tasks.ts";

export const TASK_MOVES: Readonly<Record<CrewTaskStatus, readonly CrewTaskStatus[]>> = {
  "not-started": ["in-progress", "blocked"],
  "in-progress": ["implemented", "blocked"],
  // Back for a repair.
  implemented: ["completed", "in-progress", "blocked"],
  completed: [],
  // Once the blocker is removed.
  blocked: ["in-progress"],
};

export function mayMoveTask(from: CrewTaskStatus, to: CrewTaskStatus): boolean {
  return TASK_MOVES[from].includes(to);
}

export function withTaskStatus(file: TasksFile, id: string, to: CrewTaskStatus): TasksFile {
  const task = file.tasks.find((each) => each.id === id);
  if (task === undefined || !mayMoveTask(task.status, to)) {
    const from = task?.status ?? "missing";
    throw new SlipwayError("invalid_status_transition", `The task ${id} is ${from} in tasks.yaml and cannot become ${to}.`, {
      field: `tasks/${id}/status`,
      suggested_next_actions: [
        task === undefined
          ? "Name a task of tasks.yaml."
          : `From ${from} it can become: ${TASK_MOVES[task.status].join(", ") || "nothing"}.`,
      ],
    });
  }
  return { ...file, tasks: file.tasks.map((each) => (each.id === id ? { ...each, status: to } : each)) };
}

/** `code` is the harness. */
export type TaskWriter = DispatchedRole | "code";

/** Reviewers speak through their output only: their BLOCKED is repaired and is no status of a task. */
const OUTPUT_ONLY: readonly TaskWriter[] = ["Reviewer", "QA", "Security"];

/** Who may set a status, of a task that is dispatched to them (for code: of any). */
export function maySetTask(writer: TaskWriter, to: CrewTaskStatus, mode: CrewMode): boolean {
  switch (to) {
    case "not-started":
      return writer === (mode === "full" ? "Planner" : "SpecAgent");
    case "in-progress":
    case "implemented":
      return writer === "Coder";
    case "completed":
      return writer === "code";
    case "blocked":
      return !OUTPUT_ONLY.includes(writer);
  }
}
