import { z } from "zod";

const text = z.string().regex(/\S/, "must not be empty");
/** ISO 8601: a date, or a time with its zone. */
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/, { abort: true })
  .refine((value) => z.iso.date().safeParse(value.slice(0, 10)).success && !Number.isNaN(Date.parse(value)), "is no such moment");

/** `TSK-001`: three digits or more. Unique within its spec only. */
export const specTaskId = z.string().regex(/^TSK-\d{3,}$/);

export const SKETCH_FIELDS = ["inputs", "outputs", "error_surfaces", "effects", "modes"] as const;

export const sketchSchema = z.strictObject({
  inputs: text.describe("Input types and constraints, in prose."),
  outputs: text.describe("Output types and invariants."),
  error_surfaces: text.describe("The error conditions, each by what causes it."),
  effects: text.describe("What is written, called or changed; a pure function says so in a sentence."),
  modes: text.describe("Sync, async or both, and why."),
});

export const taskSchema = z.strictObject({
  task_id: specTaskId.describe("Unique in the whole spec."),
  name: text,
  description: text,
  subtasks: z.array(text).min(2),
  acceptance_criteria: z.array(text).min(2).describe("Conditions that a test can decide."),
  depends_on: z.array(specTaskId).optional().describe("Tasks of this spec that come first; no cycles."),
  io_contract_sketch: sketchSchema,
});

export const storySchema = z.strictObject({
  story_id: z.string().regex(/^STR-\d{3,}$/),
  name: text,
  description: text,
  user_facing_behavior: text,
  tasks: z.array(taskSchema).min(1),
});

export const epicSchema = z.strictObject({
  epic_id: z.string().regex(/^EPC-\d{3,}$/),
  name: text,
  description: text,
  success_criteria: z.array(text).min(1),
  stories: z.array(storySchema).min(1),
});

export const pillarSchema = z.strictObject({
  pillar_id: z.string().regex(/^PIL-\d{3,}$/),
  name: text,
  description: text,
  rationale: text,
  epics: z.array(epicSchema).min(1),
});

/** The structured spec. `spec_id` is a field of its own, not the id of the artifact that contains it. */
export const productSpecSchema = z.strictObject({
  spec_id: z.string().regex(/^SPEC-\d{3,}$/),
  spec_version: z.string().regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/),
  title: text,
  description: text,
  created_at: instant,
  updated_at: instant,
  pillars: z.array(pillarSchema).min(1),
});

export type ProductSpec = z.infer<typeof productSpecSchema>;
export type SpecPillar = z.infer<typeof pillarSchema>;
export type SpecEpic = z.infer<typeof epicSchema>;
export type SpecStory = z.infer<typeof storySchema>;
export type SpecTask = z.infer<typeof taskSchema>;
