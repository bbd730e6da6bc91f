import type { Resumption } from "./engineering/engineering.ts";
import type { EngineeringTask } from "./engineering/ports.ts";
import type { HaltedTask } from "./halted.ts";

/** What a run remembers of a task from one turn to the next. It follows from the recorded steps, so a replay arrives at the same. */
export interface TaskMemory {
  /** How often it was begun. */
  readonly takes: number;
  /** As it was begun the last time. */
  readonly prepared: EngineeringTask;
  /** Until a person has decided about it. */
  readonly halted: HaltedTask | null;
  /** How the next take begins, where a person has said so. */
  readonly resumption: Resumption | null;
}

/** By task; a task that is shipped is final, and forgotten. */
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
