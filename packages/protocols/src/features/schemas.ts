import { planSchema } from "@slipway/kernel/plans/schema";
import { z } from "zod";

const note = z.strictObject({ type: z.literal("NOTE"), text: z.string().min(1) });

const request = z.strictObject({
  type: z.literal("REQUEST"),
  request: z.enum(["lock", "plan_amendment", "more_context"]),
  text: z.string().min(1),
});

const patch = z.strictObject({ type: z.literal("PATCH"), summary: z.string().min(1), unified_diff: z.string().min(1) });

/** Its form is checked here, so that the planner is told it; whether it may be carried out is the kernel's to say. */
const planSubmission = z.strictObject({ type: z.literal("PLAN_SUBMISSION"), plan: planSchema });

interface Outputs {
  planner: z.infer<typeof planSubmission> | z.infer<typeof note> | z.infer<typeof request>;
  builder: z.infer<typeof patch> | z.infer<typeof note> | z.infer<typeof request>;
  qa: z.infer<typeof patch> | z.infer<typeof note> | z.infer<typeof request>;
}

export type WorkerRole = keyof Outputs;
export type WorkerOutput<R extends WorkerRole> = Outputs[R];

/** What each role may return. Anything else is refused and reported back to the worker. */
export const WORKER_OUTPUT: { readonly [R in WorkerRole]: z.ZodType<Outputs[R]> } = {
  planner: z.discriminatedUnion("type", [planSubmission, note, request]),
  builder: z.discriminatedUnion("type", [patch, note, request]),
  qa: z.discriminatedUnion("type", [patch, note, request]),
};

export const featureInput = z.strictObject({
  feature_id: z.string(),
  spec_source: z.string(),
  /** Digest of the ingested text in the object store: the run never reads the user's file again. */
  spec_digest: z.string(),
});
export type FeatureInput = z.infer<typeof featureInput>;

export const approvalAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("approve"), token: z.string().min(1) }),
  z.strictObject({ decision: z.literal("changes"), comment: z.string().min(1) }),
  z.strictObject({ decision: z.literal("reject"), comment: z.string().min(1) }),
]);

export const blockedAnswer = z.strictObject({ decision: z.enum(["retry", "give_up"]), comment: z.string().optional() });
