import { SlipwayError } from "@slipway/agents/errors";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { readOnce } from "@slipway/kernel/schema/read-once";
import { stringify } from "yaml";
import { z } from "zod";
import { acceptanceCheckSchema, nonEmpty, riskFlagsSchema, texts, numberedTaskIdSchema } from "../contract/names.ts";
import { refused, type Read } from "../contract/problems.ts";
import type { CrewMode } from "../states/states.ts";
import { orderProblem } from "./task-order.ts";

export const TASK_STATUSES = ["not-started", "in-progress", "implemented", "completed", "blocked"] as const;
export type CrewTaskStatus = (typeof TASK_STATUSES)[number];
export const TASK_TYPES = ["feat", "fix", "refactor", "chore", "test", "docs"] as const;

const required = {
  id: numberedTaskIdSchema,
  status: z.enum(TASK_STATUSES),
  goal: nonEmpty,
  acceptance_checks: z.array(acceptanceCheckSchema).min(1),
};

const fullTaskSchema = z.strictObject({
  ...required,
  type: z.enum(TASK_TYPES),
  title: nonEmpty,
  depends_on: z.array(numberedTaskIdSchema),
  non_goals: texts,
  context_files: texts,
  files_expected: texts,
  risk_flags: riskFlagsSchema,
  done_when: texts.min(1),
});

/** The one task of a lean session: four fields are required, the others are read where they stand. */
const leanTaskSchema = z.strictObject({
  ...required,
  type: z.enum(TASK_TYPES).optional(),
  title: nonEmpty.optional(),
  depends_on: z.array(numberedTaskIdSchema).default([]),
  non_goals: texts.default([]),
  context_files: texts.default([]),
  files_expected: texts.default([]),
  risk_flags: riskFlagsSchema.default([]),
  done_when: texts.default([]),
});

const projectSchema = z.strictObject({ name: nonEmpty, definition_of_done: texts });

const ids = (tasks: readonly { readonly id: string }[]) => new Set(tasks.map(({ id }) => id));
const uniqueIds = (tasks: readonly { readonly id: string }[]) => ids(tasks).size === tasks.length;
const TWICE = { error: "an id stands twice" };

const fullTasksSchema = z.strictObject({
  project: projectSchema,
  tasks: z
    .array(fullTaskSchema)
    .min(1)
    .refine(uniqueIds, TWICE)
    .superRefine((tasks, context) => {
      const problem = orderProblem(tasks);
      if (problem !== null) context.addIssue({ code: "custom", message: problem, input: tasks });
    }),
});
const leanTasksSchema = z.strictObject({
  project: projectSchema.optional(),
  tasks: z
    .array(leanTaskSchema)
    .length(1)
    .refine((tasks) => tasks.every(({ depends_on }) => depends_on.length === 0), { error: "the only task depends on nothing" }),
});

export type FullTask = z.infer<typeof fullTaskSchema>;
export type CrewTask = z.infer<typeof leanTaskSchema>;
/** `tasks.yaml` in either mode. A full one has every field. */
export interface TasksFile {
  readonly project?: z.infer<typeof projectSchema> | undefined;
  readonly tasks: readonly CrewTask[];
}

export const TASKS_FILE = "tasks.yaml";

/** A dispatch reads the plan before and after its call. */
const PLANS_KEPT = 8;
const readers: Readonly<Record<CrewMode, (text: string) => Read<TasksFile>>> = {
  full: readOnce(PLANS_KEPT, (text) => readTasks(text, fullTasksSchema)),
  lean: readOnce(PLANS_KEPT, (text) => readTasks(text, leanTasksSchema)),
};

/** Unknown fields, aliases without end and keys that stand twice are refused. */
export function parseTasks(text: string, mode: CrewMode): Read<TasksFile> {
  return readers[mode](text);
}

function readTasks(text: string, schema: z.ZodType<TasksFile>): Read<TasksFile> {
  try {
    return { ok: true, value: parseYamlConfig(TASKS_FILE, text, schema) };
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return refused([error.message]);
  }
}

export function printTasks(file: TasksFile): string {
  return stringify(file, { lineWidth: 0 });
}

export function findTask(file: TasksFile, id: string): CrewTask | null {
  return file.tasks.find((task) => task.id === id) ?? null;
}

/** What a person reads as the name of a task. */
export function titleOf({ title, goal }: CrewTask): string {
  return title ?? goal;
}
