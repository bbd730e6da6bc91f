import fc from "fast-check";
import { freshTask } from "../plan.ts";
import type { Task } from "../state.ts";

const SLUGS = { pillar: "p", epic: "e", story: "s", task: "t" };

export function taskId(number: number): string {
  return `T-p-e-s-${String(number).padStart(3, "0")}`;
}

/** Tasks from lists of the earlier tasks each depends on. */
export function tasksOf(dependsOn: readonly (readonly number[])[]): Record<string, Task> {
  return Object.fromEntries(dependsOn.map((others, number) => [taskId(number), freshTask(SLUGS, others.map(taskId), number)]));
}

/** Any acyclic graph, declared in any order. */
export const graphArbitrary = (maxTasks: number): fc.Arbitrary<Record<string, Task>> =>
  fc
    .array(fc.uniqueArray(fc.nat({ max: 1000 }), { maxLength: 4 }), { minLength: 1, maxLength: maxTasks })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray([...rows.keys()], { minLength: rows.length })))
    .map(([rows, orders]) => {
      const edges = rows.map((row, number) => (number === 0 ? [] : [...new Set(row.map((value) => value % number))]));
      const tasks = tasksOf(edges);
      return Object.fromEntries(
        Object.entries(tasks).map(([id, task], number) => [id, { ...task, declaration_order: orders[number] ?? number }]),
      );
    });
