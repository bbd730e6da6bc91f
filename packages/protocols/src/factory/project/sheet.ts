import { z } from "zod";
import { beforeSchema } from "../incremental/before.ts";
import { nodeSchema } from "../incremental/node.ts";
import { SKETCH_FIELDS, sketchSchema } from "../product/spec.ts";
import { pathOf, shown, specDefect, type NamedTask } from "./naming.ts";

const part = z.strictObject({ name: z.string(), description: z.string() });

/** What a task's file is made from. */
export const sheetSchema = z.strictObject({
  task_id: z.string(),
  /** Of the file, in the state store. */
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
  /** Criteria that a person has replaced, the oldest first. */
  amendments: z.array(z.strictObject({ at: z.string(), rationale: z.string(), replaced: z.array(z.string()) })),
  /** The task of the spec that it was planned from, for the next time; none where a person has added it. */
  node: nodeSchema.optional(),
  /** What an earlier project has of it. */
  before: beforeSchema.optional(),
});
export type TaskSheet = z.output<typeof sheetSchema>;

/** The third check before anything is written: there is something for every section of the file. */
export function sheetOf({ task_id, slugs, pillar, epic, story, task }: NamedTask, dependsOn: readonly string[]): TaskSheet {
  const sheet: TaskSheet = {
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

/** The spec has no list of error cases: they are the conditions its error surfaces name. */
export function errorCasesOf(surfaces: string): string[] {
  return present(surfaces.split(/[\n;]/).map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "").trim()));
}

function present(lines: readonly string[] | undefined): string[] {
  return (lines ?? []).filter((line) => line.trim() !== "");
}

function missingFields(sheet: TaskSheet): string[] {
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

/** A person's other criteria; what stood there before stays on record. */
export function amended(sheet: TaskSheet, criteria: readonly string[], rationale: string, at: string): TaskSheet {
  const amendments = [...sheet.amendments, { at, rationale, replaced: sheet.acceptance_criteria }];
  return { ...sheet, acceptance_criteria: [...criteria], amendments };
}
