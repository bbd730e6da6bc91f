import { contractSchema, moduleId, moduleRef } from "@slipway/languages/contracts/schema";
import { z } from "zod";
import { moduleReport } from "../reuse/schema.ts";

const lines = z.array(z.string());

const plannedModule = z.strictObject({
  module_id: moduleId,
  name: z.string().min(1),
  purpose: z.string().regex(/\S/).describe("One sentence: what goes in, what comes out."),
  io_contract: z.strictObject({ inputs: lines, outputs: lines, error_surfaces: lines, effects: lines, modes: lines }),
  error_cases: lines,
  depends_on: z.array(moduleRef),
  reuse_candidate_refs: z.array(moduleRef),
  reuse_decision: z.enum(["REUSE", "CREATE_NEW"]),
  reuse_justification: z.string().regex(/\S/),
});

export const microPlanSchema = z.strictObject({
  micro_plan_id: z.string().regex(/^MP-\w+$/),
  parent_task_ref: z.string().regex(/^T-[^@]+@\d+\.\d+\.\d+$/),
  modules: z.array(plannedModule).min(1),
});

/** The modules of one task. Locked once it is valid. */
export type MicroPlan = z.infer<typeof microPlanSchema>;
export type PlannedModule = MicroPlan["modules"][number];

/** The answer of a planner or a person. Ids and references to the task are added by the harness. */
export const planDraftSchema = z.strictObject({
  modules: microPlanSchema.shape.modules,
  contracts: z
    .array(contractSchema.omit({ module_version: true }))
    .describe("One for each module that is created; types are TypeScript and spelled out, because callers do not see the code."),
  reuse_reports: z.array(moduleReport).describe("One for each module."),
});
export type PlanDraft = z.infer<typeof planDraftSchema>;
