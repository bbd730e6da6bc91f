import { z } from "zod";
import { instantSchema, nonEmpty } from "../contract/names.ts";
import { crewStateSchema, type GateState } from "../states/states.ts";

export const APPROVE_DESIGN_ID = "UD-APPROVE-DESIGN";
export const REVIEW_STRATEGY_ID = "UD-REVIEW-STRATEGY";

/** The decision of each gate: one per session, always the same id. */
export const GATE_DECISIONS: Readonly<Record<GateState, string>> = {
  APPROVE_DESIGN: APPROVE_DESIGN_ID,
  REVIEW_STRATEGY: REVIEW_STRATEGY_ID,
};

export const DECISION_STATUSES = ["pending", "answered", "cancelled", "skipped"] as const;

const fields = {
  decision_id: z.string().regex(/^UD-(?:[1-9][0-9]*|APPROVE-DESIGN|REVIEW-STRATEGY)$/),
  question: nonEmpty,
  asked_at: instantSchema,
  /** The state in which the question arose; for a gate, the gate. */
  state_context: crewStateSchema,
};

/** What is null and what is filled follows from the status. */
export const decisionSchema = z.discriminatedUnion("status", [
  z.strictObject({ ...fields, status: z.literal("pending"), answer: z.null(), resolved_at: z.null(), resolution_reason: z.null() }),
  z.strictObject({
    ...fields,
    status: z.literal("answered"),
    answer: nonEmpty,
    resolved_at: instantSchema,
    resolution_reason: z.string().nullable(),
  }),
  z.strictObject({
    ...fields,
    status: z.enum(["cancelled", "skipped"]),
    answer: z.string().nullable(),
    resolved_at: instantSchema,
    resolution_reason: nonEmpty,
  }),
]);
export type UserDecision = z.infer<typeof decisionSchema>;

export const decisionsSchema = z
  .array(decisionSchema)
  .refine((decisions) => new Set(decisions.map(({ decision_id }) => decision_id)).size === decisions.length, {
    error: "a decision_id stands twice",
  });

export function findDecision(decisions: readonly UserDecision[], id: string): UserDecision | null {
  return decisions.find(({ decision_id }) => decision_id === id) ?? null;
}

export function pendingDecisions(decisions: readonly UserDecision[]): UserDecision[] {
  return decisions.filter(({ status }) => status === "pending");
}
