import { z } from "zod";
import { FILE_OPERATIONS, risk, TASK_SIZES, TASK_TYPES, type Risk, type TaskSize } from "./enums.ts";
import { criterionId, line, list, path, taskId, text, uniqueBy } from "./fields.ts";

const plannedFile = z.object({ path, risk, operation: z.enum(FILE_OPERATIONS).default("modify") });
export type PlannedFile = z.output<typeof plannedFile>;

const relevantContext = z.object({
  /** Pointers such as design-output.yaml#payload.decisions[id='D-8']. */
  design_sections: list(line),
  spec_requirements: list(line),
  files_to_modify: list(plannedFile, 1).superRefine(uniqueBy(({ path }) => path, "file")),
});

export const taskSchema = z
  .object({
    id: taskId,
    title: line,
    description: text.optional(),
    size: z.enum(TASK_SIZES),
    task_type: z.enum(TASK_TYPES),
    relevant_context: relevantContext,
    acceptance_criteria: list(criterionId, 1),
    depends_on: list(taskId).default([]),
  })
  .superRefine(({ size, relevant_context }, context) => {
    const needed = sizeOf(relevant_context.files_to_modify.map(({ risk }) => risk));
    if (size === needed) return;
    const why = needed === "Large" ? "a task with a 🔴 file is Large" : "a task without a 🔴 file is Standard";
    context.addIssue({ code: "custom", path: ["size"], message: `${why}, not ${size}` });
  });
export type ForgeTask = z.output<typeof taskSchema>;

export const taskPayload = z.object({ task: taskSchema });

export function sizeOf(risks: readonly Risk[]): TaskSize {
  return risks.includes("🔴") ? "Large" : "Standard";
}
