import { KERNEL_ERRORS, SlipwayError } from "../schema/errors.ts";
import { DURABLE_ERRORS, toFailure, type ErrorCode } from "@slipway/durable/errors";
import { z } from "zod";
import type { ToolEvidence } from "./tool.ts";

/** Where a process ran or a log exists. */
export const evidenceSchema = z.strictObject({
  log_path: z.string().optional(),
  log_paths: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  exit_code: z.int().nullable().optional(),
  notes: z.array(z.strictObject({ code: z.string(), message: z.string() })).optional(),
});

/** Every failed response has this form; `errors.schema.json` is generated from it. */
export const failureSchema = z.strictObject({
  ok: z.literal(false),
  error: z.strictObject({
    code: z.enum(Object.keys({ ...DURABLE_ERRORS, ...KERNEL_ERRORS }) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().min(1),
    details: z.looseObject({
      retryable: z.boolean(),
      requires_human: z.boolean(),
      suggested_next_actions: z.array(z.string()),
      conflicting_feature_ids: z.array(z.string()).optional(),
    }),
  }),
  evidence: evidenceSchema.optional(),
});

export type FailureEnvelope = z.infer<typeof failureSchema>;

export interface SuccessEnvelope {
  readonly ok: true;
  readonly data: unknown;
  readonly evidence?: ToolEvidence;
}

export type ToolEnvelope = SuccessEnvelope | FailureEnvelope;

/** These answers name the conflicting features. */
const CONFLICTS: ReadonlySet<ErrorCode> = new Set(["lock_conflict", "collision_detected", "blocked_by_collision_policy"]);

export function failureOf(error: SlipwayError): FailureEnvelope {
  const { code, message, details } = toFailure(error);
  const plain = JSON.parse(JSON.stringify(details)) as FailureEnvelope["error"]["details"];
  const evidence = evidenceIn(plain);
  return {
    ok: false,
    error: { code, message: message || code, details: CONFLICTS.has(code) ? { conflicting_feature_ids: [], ...plain } : plain },
    ...(evidence === null ? {} : { evidence }),
  };
}

/** Copies the log of a failure into the evidence. */
function evidenceIn({ log_path, command, exit_code }: Readonly<Record<string, unknown>>): FailureEnvelope["evidence"] | null {
  const found = evidenceSchema.safeParse({ log_path, command, exit_code });
  return found.success && typeof found.data.log_path === "string" ? found.data : null;
}
