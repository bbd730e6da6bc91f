import type { Resumption } from "./engineering/engineering.ts";
import type { EngineeringTask } from "./engineering/ports.ts";
import type { HaltedTask } from "./tasks/halted-task.ts";

/** What a run knows about a task between turns. It is derived from recorded steps, so a replay rebuilds it. */
export interface TaskMemory {
  /** Number of takes so far. */
  readonly takes: number;
  /** The task at the start of the last take. */
  readonly prepared: EngineeringTask;
  /** Set until a person has decided. */
  readonly halted: HaltedTask | null;
  /** How the next take resumes, by a person's decision. */
  readonly resumption: Resumption | null;
}

/** By task; shipped tasks are removed. */
export type Memory = ReadonlyMap<string, TaskMemory>;

export const NOTHING: Memory = new Map();

export function remember(memory: Memory, task: string, known: TaskMemory): Memory {
  return new Map(memory).set(task, known);
}

export function forget(memory: Memory, task: string): Memory {
  const rest = new Map(memory);
  rest.delete(task);
  return rest;
}
