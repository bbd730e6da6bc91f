import { z } from "zod";
import { sketchSchema } from "../product/spec.ts";
import type { TaskChange } from "./changes.ts";
import { MAX_TASKS_PER_STORY, pathOf, specDefect, taskIdOf } from "./task-names.ts";
import { filesOf, freshTask, type PlannedTask } from "./plan.ts";
import { errorCasesOf, type TaskDetails } from "./task-details.ts";
import { siblingSlugs, slugOf } from "./slug.ts";
import type { Task } from "./state.ts";

const text = z.string().regex(/\S/, "must not be empty");

/** A task as a person writes it for a split: all fields of a task's file. */
export const newTaskSchema = z.strictObject({
  name: text,
  description: text,
  acceptance_criteria: z.array(text).min(1),
  /** Ids of tasks of the project, or names of other new tasks. */
  depends_on: z.array(text),
  subtasks: z.array(text).min(1),
  io_contract_sketch: sketchSchema,
});
export type NewTask = z.output<typeof newTaskSchema>;

export interface SplitPlan {
  readonly change: Extract<TaskChange, { kind: "split" }>;
  readonly sheets: Readonly<Record<string, TaskDetails>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** The new tasks belong to the story of the one they replace, numbered after all tasks it ever had. */
export function planSplit(
  original: { readonly task_id: string; readonly entry: Task; readonly sheet: TaskDetails },
  tasks: Readonly<Record<string, Task>>,
  wished: readonly NewTask[],
  sheetsOf: (taskId: string) => TaskDetails | undefined = () => undefined,
): SplitPlan {
  const { entry } = original;
  const { node: _node, before: _before, ...sheet } = original.sheet;
  const prefix = original.task_id.slice("T-".length, -"-001".length);
  const siblings = Object.entries(tasks).filter(([, { pillar, epic, story }]) => same([pillar, epic, story], entry));
  const highest = Object.values(tasks).reduce((most, { declaration_order }) => Math.max(most, declaration_order), -1);
  const last = Math.max(...siblings.map(([id]) => Number(id.slice(-3))));
  if (last + wished.length > MAX_TASKS_PER_STORY) {
    const message = `The story "${sheet.story.name}" would have more than ${MAX_TASKS_PER_STORY} tasks.`;
    throw specDefect(message, { story: sheet.story.name }, "Split it into fewer tasks.");
  }
  const slugs = siblingSlugs(
    wished.map(({ name }) => slugFor(name)),
    new Set(siblings.map(([, { task }]) => task)),
  );
  const ids = wished.map(({ name }, index) => taskIdOf(prefix, last + 1 + index, name));
  const idOf = new Map(wished.map(({ name }, index) => [name, ids[index] ?? ""]));
  const planned = wished.map((wish, index): PlannedTask => {
    const task_id = ids[index] ?? "";
    const depends_on = [...new Set(wish.depends_on)].map((given) => idOf.get(given) ?? given);
    const place = { pillar: entry.pillar, epic: entry.epic, story: entry.story, task: slugs[index] ?? "" };
    const order = highest + 1 + index;
    return {
      task_id,
      declaration_order: order,
      entry: freshTask(place, depends_on, order),
      sheet: {
        ...sheet,
        task_id,
        path: pathOf(place, task_id),
        name: wish.name,
        description: wish.description,
        subtasks: wish.subtasks,
        acceptance_criteria: wish.acceptance_criteria,
        contract: wish.io_contract_sketch,
        error_cases: errorCasesOf(wish.io_contract_sketch.error_surfaces),
        depends_on,
        amendments: [],
      },
    };
  });
  return {
    change: { kind: "split", task: original.task_id, into: planned.map(({ task_id, entry: made }) => ({ task_id, entry: made })) },
    sheets: Object.fromEntries(planned.map((task) => [task.task_id, task.sheet])),
    files: filesOf(planned, { sheetOf: sheetsOf }),
  };
}

function same([pillar, epic, story]: readonly string[], entry: Task): boolean {
  return pillar === entry.pillar && epic === entry.epic && story === entry.story;
}

function slugFor(name: string): string {
  const slug = slugOf(name);
  if (slug !== "") return slug;
  throw specDefect(`The name of the task "${name}" has no letter or digit for a folder's name.`, { name }, "Rename it.");
}
