import { z } from "zod";
import { latestEvidenceSchema } from "../judge/latest-evidence.ts";
import { stateSchema } from "../feature/state.ts";
import { STATUSES } from "../feature/status.ts";

const milliseconds = z.number().describe("Milliseconds since 1970.");

export const dashboardEntrySchema = z.strictObject({
  feature_id: z.string(),
  status: z.enum([...STATUSES, "waiting"]).describe("`waiting`: a run has accepted its specification and has no slot for it yet."),
  status_reason: z.string().describe("Why it is blocked or has failed; empty if there is no reason."),
  run_id: z.string(),
  version: z.int().nullable().describe("Of the state; null while it waits for a slot."),
  locks: z.array(z.string()).describe("Held, and not expired."),
  gates: z.record(z.string(), z.enum(["pass", "fail", "na"])).describe("Results on the feature's current content."),
  last_gate: z
    .strictObject({
      mode: z.string(),
      passed: z.boolean(),
      current: z.boolean().describe("Whether it ran on the current content."),
      at: milliseconds,
    })
    .nullable(),
  role: z.enum(["planner", "builder", "qa"]).nullable().describe("The role at work on it."),
  cost_usd: z.number(),
  question: z
    .strictObject({ id: z.string(), kind: z.string(), title: z.string() })
    .nullable()
    .describe("The oldest one that waits for a person."),
  merged_as: z.string().nullable(),
  updated_at: milliseconds.nullable(),
});
export type DashboardEntry = z.infer<typeof dashboardEntrySchema>;

export const dashboardSchema = z.strictObject({
  features: z.array(dashboardEntrySchema),
  counts: z.record(z.string(), z.int()).describe("How many features have each status."),
});
export type Dashboard = z.infer<typeof dashboardSchema>;

export const featureSummarySchema = z.strictObject({
  state: stateSchema,
  diff: z.strictObject({ base: z.string(), tree: z.string(), stat: z.string() }),
  evidence: z.strictObject({
    last_gate: latestEvidenceSchema.shape.gate,
    links: z.array(z.strictObject({ what: z.string(), path: z.string() })),
  }),
  cost_usd: z.number(),
});
export type FeatureSummary = z.infer<typeof featureSummarySchema>;
