import { NOT_ASKED } from "@slipway/agents/json-schema";
import { planSchema } from "@slipway/kernel/change/plan/schema";
import { repositoryPath } from "@slipway/kernel/paths/fields";
import { qaUpdateSchema } from "@slipway/kernel/change/judge/qa/update";
import { z } from "zod";
import type { SpecifiedFeature } from "../change/feature-run.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { Retry } from "./retry.ts";

const MAX_ASKED_FOR = 20;

const note = z.strictObject({ type: z.literal("NOTE"), text: z.string().min(1) });

const REQUEST_KINDS = ["lock", "plan_amendment", "more_context"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

const request = z.strictObject({
  type: z.literal("REQUEST"),
  request: z.enum(REQUEST_KINDS),
  text: z.string().min(1).describe("What is wanted and why."),
  resources: z.array(z.string().min(1)).max(MAX_ASKED_FOR).optional().describe("For lock: the lock resources."),
  paths: z
    .array(repositoryPath)
    .max(MAX_ASKED_FOR)
    .optional()
    .describe("For more_context: files of the repository to be shown. Without it, a person is asked."),
});
export type WorkerRequest = z.infer<typeof request>;

const patch = z.strictObject({
  type: z.literal("PATCH"),
  summary: z.string().min(1),
  unified_diff: z.string().min(1),
  /** Written by the harness: what of the agent's folder did not become part of the patch, and why. */
  discarded: z.string().optional().meta(NOT_ASKED),
});

const { hunks, evidence_refs } = qaUpdateSchema.shape;
const updates = z
  .array(
    qaUpdateSchema.extend({
      hunks: hunks.unwrap().describe("Its hunks that the verdict is about."),
      evidence_refs: evidence_refs.meta(NOT_ASKED),
    }),
  )
  .describe("A verdict for each entry that you were given.");

const { feature_id, plan_version, base_ref, revision_of, gate_targets, risk, verification_overrides } = planSchema.shape;

/** What the harness knows itself is filled in where the planner leaves it out. */
const submittedPlan = planSchema.extend({
  feature_id: feature_id.optional().meta(NOT_ASKED),
  plan_version: plan_version.optional().meta(NOT_ASKED),
  base_ref: base_ref.optional().meta(NOT_ASKED),
  revision_of: revision_of.meta(NOT_ASKED),
  gate_targets: gate_targets.meta(NOT_ASKED),
  risk: risk.meta(NOT_ASKED),
  verification_overrides: verification_overrides.meta(NOT_ASKED),
});
export type SubmittedPlan = z.infer<typeof submittedPlan>;

/** Checks the form, so that the planner sees the errors. The kernel decides whether the plan is allowed. */
const planSubmission = z.strictObject({ type: z.literal("PLAN_SUBMISSION"), plan: submittedPlan });

const qaPatch = patch.extend({ updates: updates.optional() });
const qaNote = note.extend({ updates: updates.optional() });
/** For QA with open entries of the test index: an answer without verdicts is sent back at once, with its tests. */
const judgedPatch = patch.extend({ updates: updates.min(1) });
const judgedNote = note.extend({ updates: updates.min(1) });

interface Outputs extends Record<WorkerRole, unknown> {
  planner: z.infer<typeof planSubmission> | z.infer<typeof note> | WorkerRequest;
  builder: z.infer<typeof patch> | z.infer<typeof note> | WorkerRequest;
  qa: z.infer<typeof qaPatch> | z.infer<typeof qaNote> | WorkerRequest;
}

export type WorkerOutput<R extends WorkerRole> = Outputs[R];

/** What each role may return. Anything else is refused and reported back to the worker. */
export const WORKER_OUTPUT: { readonly [R in WorkerRole]: z.ZodType<Outputs[R]> } = {
  planner: z.discriminatedUnion("type", [planSubmission, note, request]),
  builder: z.discriminatedUnion("type", [patch, note, request]),
  qa: z.discriminatedUnion("type", [qaPatch, qaNote, request]),
};

const JUDGED_OUTPUT: z.ZodType<Outputs["qa"]> = z.discriminatedUnion("type", [judgedPatch, judgedNote, request]);

const inFolder = { unified_diff: z.string().optional().describe("Leave it out: what you changed in your folder is the patch.") };

/** The same for a worker with a folder: its patch is the difference in the folder. */
const FOLDER_OUTPUT: { readonly [R in WorkerRole]: z.ZodType } = {
  planner: WORKER_OUTPUT.planner,
  builder: z.discriminatedUnion("type", [patch.extend(inFolder), note, request]),
  qa: z.discriminatedUnion("type", [qaPatch.extend(inFolder), qaNote, request]),
};

const JUDGED_FOLDER_OUTPUT = z.discriminatedUnion("type", [judgedPatch.extend(inFolder), judgedNote, request]);

export interface AskedOutput<R extends WorkerRole> {
  readonly plain: z.ZodType<Outputs[R]>;
  readonly folder: z.ZodType;
}

/** What this worker is asked for now. */
export function askedOutput<R extends WorkerRole>(role: R, openEntries: number): AskedOutput<R> {
  if (role !== "qa" || openEntries === 0) return { plain: WORKER_OUTPUT[role], folder: FOLDER_OUTPUT[role] };
  return { plain: JUDGED_OUTPUT as z.ZodType<Outputs[R]>, folder: JUDGED_FOLDER_OUTPUT };
}

export interface FeatureInput extends SpecifiedFeature {
  /** Set for a feature that has ended and is retried. */
  readonly retry?: Retry;
}
