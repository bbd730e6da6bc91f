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

const patch = z.strictObject({ type: z.literal("PATCH"), summary: z.string().min(1), unified_diff: z.string().min(1) });

const updates = z
  .array(qaUpdateSchema)
  .optional()
  .describe("What you found out about each open entry of the test index that you were given. Without it the batch is not done.");

/** Checks the form, so that the planner sees the errors. The kernel decides whether the plan is allowed. */
const planSubmission = z.strictObject({ type: z.literal("PLAN_SUBMISSION"), plan: planSchema });

const qaPatch = patch.extend({ updates });
const qaNote = note.extend({ updates });

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

const inFolder = { unified_diff: z.string().optional().describe("Leave it out: what you changed in your folder is the patch.") };

/** The same for a worker with a folder: its patch is the difference in the folder. */
export const FOLDER_OUTPUT: { readonly [R in WorkerRole]: z.ZodType } = {
  planner: WORKER_OUTPUT.planner,
  builder: z.discriminatedUnion("type", [patch.extend(inFolder), note, request]),
  qa: z.discriminatedUnion("type", [qaPatch.extend(inFolder), qaNote, request]),
};

export interface FeatureInput extends SpecifiedFeature {
  /** Set for a feature that has ended and is retried. */
  readonly retry?: Retry;
}
