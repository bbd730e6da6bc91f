import { storePaths } from "../artifacts/layout.ts";
import { jsonText, newDocumentId, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";
import { stateMachineSchema, taskIdSchema } from "../project/state.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");
const at = z.iso.datetime({ offset: true });
const records = z.array(z.record(z.string(), z.unknown()));

export const RESOLUTIONS = ["APPROVE_OVERRIDE", "AMEND_SPEC", "SPLIT_TASK", "REVISE_PLAN", "PROVIDE_FIX", "ABANDON_TASK"] as const;
export type ResolutionAction = (typeof RESOLUTIONS)[number];

/** The answer in full, with its author. */
const resolutionRecord = z.strictObject({
  action: z.enum([...RESOLUTIONS, "ATTEST", "APPROVE_CHANGE", "REJECT_CHANGE", "DEFER"]),
  payload: z.record(z.string(), z.unknown()),
  by: nonEmpty,
  at,
});
export type ResolutionRecord = z.output<typeof resolutionRecord>;

export const escalationSchema = z.strictObject({
  escalation_id: z.string().regex(/^ESC-[0-9a-f]{8}$/),
  task_id: taskIdSchema,
  /** The path of the task's file. */
  task_ref: nonEmpty,
  created_at: at,
  debate_trail: z.strictObject({ proposals: records, challenges: records, adjudications: records }),
  failed_invariants: z.array(z.strictObject({ invariant: nonEmpty, evidence: nonEmpty })),
  /** The whole state machine at the time of the halt. */
  state_machine_snapshot: stateMachineSchema,
  minimal_decision_required: nonEmpty,
  /** A recommendation; a person may choose any of the six. */
  recommended_resolution: z.enum(RESOLUTIONS),
  resolution_context: z.string(),
  /** Further data for the decision: plan, fingerprints, logs, an exception. */
  details: z.record(z.string(), z.unknown()).optional(),
  /** All answers; the last one moved the task. */
  resolutions: z.array(resolutionRecord).optional(),
  resolution: resolutionRecord.optional(),
});

/** A stopped task with the data a person needs to decide about it. */
export type Escalation = z.output<typeof escalationSchema>;

/** Assigned before the record exists: the task names it when it halts, and it halts first. */
export function newEscalationId(uuid?: () => string): string {
  return newDocumentId("ESC", uuid);
}

export const escalationKind: DocumentKind<Escalation> = {
  kind: "escalation",
  prefix: null,
  idField: "escalation_id",
  schema: escalationSchema,
  fixity: "revised",
  files: (id, escalation) => ({ [storePaths.escalation(id)]: jsonText(escalation) }),
};

/** Appends an answer. */
export function answered(escalation: Escalation, resolution: ResolutionRecord): Escalation {
  return { ...escalation, resolution, resolutions: [...(escalation.resolutions ?? []), resolution] };
}

/** Adds details, for example the transcript of a debate without agreement. */
export function supplemented(escalation: Escalation, details: Readonly<Record<string, unknown>>): Escalation {
  return { ...escalation, details: { ...escalation.details, ...details } };
}
