import { z } from "zod";
import { auditReportSchema } from "../audit/report.ts";
import { attemptSchema } from "../escalation/attempts.ts";
import { structuralDefectSchema } from "../escalation/breakers.ts";
import { failureSchema } from "../escalation/failures.ts";

const vulnerability = z.strictObject({ rule: z.string(), severity: z.string(), location: z.string(), message: z.string() });

/** An attempt in the record of a block: what failed, without the code that was tried. */
const failedAttempt = z.strictObject({ ...attemptSchema.shape, failure: failureSchema });

export const blockReasonSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("canonical_conflict"), decisions: z.tuple([z.string(), z.string()]) }),
  z.strictObject({ type: z.literal("unresolved_contradiction"), report: auditReportSchema }),
  z.strictObject({
    type: z.literal("circuit_breaker"),
    failedFunction: z.string(),
    attempts: z.array(failedAttempt),
    /** Attached so that a person can choose to return to Lattice. */
    defect: structuralDefectSchema,
  }),
  z.strictObject({ type: z.literal("security_review"), vulnerability: z.array(vulnerability) }),
  z.strictObject({ type: z.literal("user_requested"), message: z.string() }),
  z.strictObject({ type: z.literal("archive_failure"), message: z.string() }),
  z.strictObject({ type: z.literal("structural_defect"), message: z.string() }),
  z.strictObject({ type: z.literal("provider_unavailable"), message: z.string() }),
  z.strictObject({ type: z.literal("context_overflow"), message: z.string() }),
]);

export type BlockReason = z.output<typeof blockReasonSchema>;
export type BlockType = BlockReason["type"];

const option = z.strictObject({ id: z.string(), label: z.string(), implications: z.array(z.string()) });

/** A question that the run cannot continue without. */
export const humanQuerySchema = z.strictObject({
  id: z.string(),
  severity: z.literal("blocking"),
  category: z.string(),
  question: z.string(),
  options: z.array(option).min(1),
});

export type HumanQuery = z.output<typeof humanQuerySchema>;
export type QueryOption = z.output<typeof option>;
