import { z } from "zod";
import { COMPLETION_STATUSES } from "../agents.ts";
import { SEVERITIES, VERDICTS, type ReviewScope } from "../schemas/enums.ts";

const CHECK_PHASES = ["baseline", "after", "review"] as const;
export const SNIPPET_LIMIT = 500;

const text = z.string().min(1);

export const checkRowSchema = z.strictObject({
  id: z.int().positive(),
  run_id: text,
  task_id: text,
  phase: z.enum(CHECK_PHASES),
  check_name: text,
  tool: text,
  command: z.string().nullable(),
  exit_code: z.int().nullable(),
  output_snippet: z.string().nullable(),
  passed: z.union([z.literal(0), z.literal(1)]),
  verdict: z.enum(VERDICTS).nullable(),
  severity: z.enum(SEVERITIES).nullable(),
  round: z.int().positive(),
  ts: z.string(),
});

export const dispatchRowSchema = z.strictObject({
  id: z.int().positive(),
  run_id: text,
  step: text,
  agent: text,
  instance: z.string().nullable(),
  started_at: text,
  completed_at: z.string().nullable(),
  status: z.enum([...COMPLETION_STATUSES, "running"]),
  dispatch_count: z.int(),
  retry_count: z.int(),
  notes: z.string().nullable(),
  ts: z.string(),
});

/** A row of `anvil_checks`. */
export type CheckRow = z.infer<typeof checkRowSchema>;
export type NewCheckRow = Omit<CheckRow, "id">;
/** A row of `pipeline_telemetry`. */
export type DispatchRow = z.infer<typeof dispatchRowSchema>;
export type NewDispatchRow = Omit<DispatchRow, "id">;

/** What one dispatched instance is named by; the columns of its unique index. */
export type DispatchKey = Pick<DispatchRow, "run_id" | "step" | "agent" | "instance">;

/** The format of SQLite's CURRENT_TIMESTAMP. */
export function ledgerTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

/** SQLite's LENGTH counts code points, and a half of a surrogate pair would not survive the write. */
export function snippetOf(output: string): string {
  return Array.from(
    output
      .slice(0, SNIPPET_LIMIT * 2)
      .toWellFormed()
      .replaceAll("\0", "\u{FFFD}"),
  )
    .slice(0, SNIPPET_LIMIT)
    .join("");
}

export function reviewTaskId(featureSlug: string, scope: ReviewScope): string {
  return `${featureSlug}-${scope}-review`;
}
