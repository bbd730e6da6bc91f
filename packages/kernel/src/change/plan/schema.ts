import { z } from "zod";
import { checkSchema, type Checked } from "../../schema/violations.ts";
import { repositoryArea, repositoryPath } from "../../paths/fields.ts";

export const FEATURE_ID_PATTERN = /^[a-z0-9_][a-z0-9_-]*$/;

const text = z.string().min(1);

const overrideStep = z.strictObject({ name: text, cmd: z.array(text).min(1), timeout_seconds: z.number().min(1).optional() });
const modeOverride = z.strictObject({ steps: z.array(overrideStep).optional() });
const overrides = z.strictObject({ modes: z.strictObject({ fast: modeOverride.optional(), full: modeOverride.optional() }).optional() });

export const planSchema = z.strictObject({
  feature_id: z.string().regex(FEATURE_ID_PATTERN),
  plan_version: z.int().min(1).describe("1 for the first plan; each revision is one higher."),
  summary: z.string().min(5).describe("What the feature does, in one sentence."),
  allowed_areas: z.array(repositoryArea).min(1).describe("Folders (or patterns, if the policy matches by glob) that contain every change."),
  forbidden_areas: z.array(repositoryArea).describe("Folders that must not change, even inside the allowed areas."),
  base_ref: text.describe("The commit or branch on which the plan is based."),
  files: z
    .strictObject({ create: z.array(repositoryPath), modify: z.array(repositoryPath), delete: z.array(repositoryPath) })
    .describe("Every file the feature will touch, relative to the repository, compared with its base commit."),
  contracts: z
    .strictObject({ openapi: z.enum(["none", "modify"]), events: z.enum(["none", "modify"]), db: z.enum(["none", "migration"]) })
    .describe("Which external contracts change; each change needs its lock."),
  acceptance_criteria: z.array(text).min(1).describe("How a reviewer can tell that the feature is done."),
  gate_profile: text.default("default").describe("A profile of slipway/gates.yaml."),
  gate_targets: z.array(text).min(1).optional(),
  risk: z.array(text).optional(),
  revision_of: z.int().min(1).optional().describe("Only in a revision: the version it replaces."),
  revision_reason: text.optional(),
  verification_overrides: overrides.optional(),
});

export type Plan = z.output<typeof planSchema>;

/** Reports every violation at once; returns paths in canonical form. */
export function parsePlan(value: unknown): Checked<Plan> {
  return checkSchema(planSchema, value);
}

/** Every path the plan names, with the planned operation. */
export function plannedFiles(plan: Plan): { readonly path: string; readonly operation: keyof Plan["files"] }[] {
  return (["create", "modify", "delete"] as const).flatMap((operation) => plan.files[operation].map((path) => ({ path, operation })));
}
