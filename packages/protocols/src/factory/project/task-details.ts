import { z } from "zod";
import { beforeSchema } from "../incremental/before.ts";
import { nodeSchema } from "../incremental/node.ts";
import { SKETCH_FIELDS, sketchSchema } from "../product/spec.ts";
import { pathOf, shown, specDefect, type NamedTask } from "./task-names.ts";

const part = z.strictObject({ name: z.string(), description: z.string() });

/** The data of a task's file. */
export const taskDetailsSchema = z.strictObject({
  task_id: z.string(),
  /** Path of the file in the state store. */
  path: z.string(),
  name: z.string(),
  pillar: part,
  epic: part,
  story: part,
  description: z.string(),
  subtasks: z.array(z.string()).min(1),
  acceptance_criteria: z.array(z.string()).min(1),
  contract: sketchSchema,
  error_cases: z.array(z.string()).min(1),
  depends_on: z.array(z.string()),
  /** Criteria a person replaced, oldest first. */
  amendments: z.array(z.strictObject({ at: z.string(), rationale: z.string(), replaced: z.array(z.string()) })),
  /** The task of the spec it was planned from, to compare with the next spec; none if a person added it. */
  node: nodeSchema.optional(),
  /** Kept from an earlier project. */
  before: beforeSchema.optional(),
});
export type TaskDetails = z.output<typeof taskDetailsSchema>;

/** The third check before anything is written: every section of the file has content. */
export function taskDetailsOf({ task_id, slugs, pillar, epic, story, task }: NamedTask, dependsOn: readonly string[]): TaskDetails {
  const sheet: TaskDetails = {
    task_id,
    path: pathOf(slugs, task_id),
    name: task.name,
    pillar: { name: pillar.name, description: pillar.description },
    epic: { name: epic.name, description: epic.description },
    story: { name: story.name, description: story.description },
    description: task.description,
    subtasks: present(task.subtasks),
    acceptance_criteria: present(task.acceptance_criteria),
    contract: task.io_contract_sketch,
    error_cases: errorCasesOf(task.io_contract_sketch?.error_surfaces ?? ""),
    depends_on: [...dependsOn],
    amendments: [],
  };
  const missing = missingFields(sheet);
  if (missing.length === 0) return sheet;
  throw specDefect(
    `The file of task ${task_id} ("${shown(task.name)}") cannot be filled: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing.`,
    { task_id, task: task.name, missing },
    "Complete these fields in the spec.",
  );
}

/** The spec has no list of error cases: they are taken from its error surfaces. */
export function errorCasesOf(surfaces: string): string[] {
  return present(surfaces.split(/[\n;]/).map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "").trim()));
}

function present(lines: readonly string[] | undefined): string[] {
  return (lines ?? []).filter((line) => line.trim() !== "");
}

function missingFields(sheet: TaskDetails): string[] {
  const texts: [string, string | undefined][] = [
    ["name", sheet.name],
    ["description", sheet.description],
    ...(["pillar", "epic", "story"] as const).flatMap((level): [string, string | undefined][] => [
      [`${level}.name`, sheet[level].name],
      [`${level}.description`, sheet[level].description],
    ]),
    ...SKETCH_FIELDS.map((field): [string, string | undefined] => [`io_contract_sketch.${field}`, sheet.contract?.[field]]),
  ];
  const lists: [string, readonly string[]][] = [
    ["subtasks", sheet.subtasks],
    ["acceptance_criteria", sheet.acceptance_criteria],
  ];
  return [
    ...texts.filter(([, text]) => (text ?? "").trim() === "").map(([field]) => field),
    ...lists.filter(([, lines]) => lines.length === 0).map(([field]) => field),
  ];
}

/** Replaces the criteria; the earlier ones stay on record. */
export function amended(sheet: TaskDetails, criteria: readonly string[], rationale: string, at: string): TaskDetails {
  const amendments = [...sheet.amendments, { at, rationale, replaced: sheet.acceptance_criteria }];
  return { ...sheet, acceptance_criteria: [...criteria], amendments };
}
