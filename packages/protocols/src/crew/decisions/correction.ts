import { z } from "zod";
import { SlipwayError } from "@slipway/agents/errors";
import { instantSchema } from "../contract/names.ts";

export const CORRECTION_STATUSES = ["none", "queued", "dispatched", "completed"] as const;
export type CorrectionStatus = (typeof CORRECTION_STATUSES)[number];

export const CORRECTING_ROLES = ["SpecAgent", "Architect", "Designer"] as const;
export type CorrectingRole = (typeof CORRECTING_ROLES)[number];

export const lastCorrectionSchema = z.strictObject({
  agent: z.enum(CORRECTING_ROLES).nullable(),
  task_id: z.literal("meta").nullable(),
  at: instantSchema.nullable(),
});

export const gateTrackingSchema = z.strictObject({
  APPROVE_DESIGN: z
    .strictObject({
      correction_status: z.enum(CORRECTION_STATUSES).nullable().optional(),
      last_correction_dispatch: lastCorrectionSchema.optional(),
    })
    .nullable()
    .optional(),
});
export type GateTracking = z.infer<typeof gateTrackingSchema>;

/** Anything absent means that no correction was asked for. */
export function correctionStatus(tracking: GateTracking | undefined): CorrectionStatus {
  return tracking?.APPROVE_DESIGN?.correction_status ?? "none";
}

export const CORRECTION_MOVES: Readonly<Record<CorrectionStatus, CorrectionStatus>> = {
  none: "queued",
  queued: "dispatched",
  dispatched: "completed",
  completed: "queued",
};

const NO_DISPATCH = { agent: null, task_id: null, at: null } as const;

/**
 * The next step of the correction. `dispatched` names who got it, and stays on record after. `queued` is written together with the answer
 * that asks for changes: apart from each other, a crash between them after an earlier correction would lose the request.
 */
export function moveCorrection(
  tracking: GateTracking | undefined,
  to: CorrectionStatus,
  dispatch?: { readonly agent: CorrectingRole; readonly at: string },
): GateTracking {
  const from = correctionStatus(tracking);
  if (CORRECTION_MOVES[from] !== to || (to === "dispatched") !== (dispatch !== undefined)) {
    throw new SlipwayError("invalid_status_transition", `correction_status cannot go from ${from} to ${to}.`, {
      field: "gate_tracking.APPROVE_DESIGN.correction_status",
      suggested_next_actions: [`From ${from} the next is ${CORRECTION_MOVES[from]}.`],
    });
  }
  const last = tracking?.APPROVE_DESIGN?.last_correction_dispatch ?? NO_DISPATCH;
  return {
    APPROVE_DESIGN: {
      correction_status: to,
      last_correction_dispatch: dispatch === undefined ? last : { agent: dispatch.agent, task_id: "meta", at: dispatch.at },
    },
  };
}

/** What happens next while the answer on record asks for changes. */
export type CorrectionStep = "queue" | "dispatch" | "complete" | "dispatch_again" | "ask";

/**
 * `isDone`: a valid OK output is on record for `last_correction_dispatch`. Without one, a dispatch that died with its process is repeated as
 * the same dispatch, and the status stays.
 */
export function correctionStep(tracking: GateTracking | undefined, isDone: boolean): CorrectionStep {
  const status = correctionStatus(tracking);
  if (status === "none") return "queue";
  if (status === "queued") return "dispatch";
  if (status === "completed") return "ask";
  return isDone ? "complete" : "dispatch_again";
}
