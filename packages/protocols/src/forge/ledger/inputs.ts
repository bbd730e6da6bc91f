import { z } from "zod";
import { COMPLETION_STATUSES } from "../agents.ts";
import { REVIEW_SCOPES, VERDICTS } from "../schemas/enums.ts";

const text = z.string().min(1);
const round = z.int().positive();
const tasks = z.array(text).min(1);
/** The phases that only the harness writes. */
const observed = z.enum(["baseline", "after"]);
const count = z.int().min(0);

export const checksInput = z.strictObject({
  run_id: text,
  feature_id: text,
  /** Every task that these observations are evidence for. */
  task_ids: tasks,
  phase: observed,
  round,
  checks: z.array(
    z.strictObject({
      /** A row of the kernel's `checks`, of this feature: its name, result and exit code are taken from there. */
      check_id: text,
      tool: text,
      command: text,
      output: z.string(),
    }),
  ),
});

/** Names of checks that the harness makes itself, without a process. */
const INSPECTION_NAME = /^(?:(?:diagnostics|syntax)-[a-z]+|readiness-[a-z]+|[a-z0-9-]+-worse)$/;

export const inspectionsInput = z.strictObject({
  run_id: text,
  task_ids: tasks,
  phase: observed,
  round,
  inspections: z.array(z.strictObject({ check_name: z.string().regex(INSPECTION_NAME), passed: z.boolean(), output: z.string() })),
});

export const MARKERS = ["tier3-infeasible", "baseline-discrepancy", "revert"] as const;

export const markerInput = z.strictObject({
  run_id: text,
  task_id: text,
  round,
  marker: z.enum(MARKERS),
  explanation: text,
  command: text.nullable().optional(),
  exit_code: z.int().nullable().optional(),
});

export const verdictInput = z.strictObject({
  run_id: text,
  feature_slug: text,
  scope: z.enum(REVIEW_SCOPES),
  /** Ends the check's name. Distinct per reviewer of a round. */
  reviewer: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  model: text,
  round,
  verdict: z.enum(VERDICTS),
  findings_count: z.strictObject({ blocker: count, critical: count, major: count, minor: count }),
  summary: z.string(),
});

const dispatch = { run_id: text, step: text, agent: text, instance: text };

export const dispatchStartInput = z.strictObject(dispatch);

export const dispatchEndInput = z.strictObject({
  ...dispatch,
  status: z.enum(COMPLETION_STATUSES),
  /** Attempts, the first one included. */
  dispatch_count: z.int().positive(),
  retry_count: count,
  notes: text.nullable(),
});

export type ChecksInput = z.infer<typeof checksInput>;
export type InspectionsInput = z.infer<typeof inspectionsInput>;
export type MarkerInput = z.infer<typeof markerInput>;
export type VerdictInput = z.infer<typeof verdictInput>;
export type LedgerDispatchStart = z.infer<typeof dispatchStartInput>;
export type LedgerDispatchEnd = z.infer<typeof dispatchEndInput>;

export function markerName(marker: MarkerInput["marker"], taskId: string): string {
  return marker === "revert" ? `revert-${taskId}` : marker;
}
