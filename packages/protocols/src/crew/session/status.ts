import { parseStrictJson } from "@slipway/kernel/schema/json";
import { z } from "zod";
import { ciResultSchema, instantSchema, nonEmpty, taskIdSchema, texts } from "../contract/names.ts";
import { readAs, refused, type Read } from "../contract/problems.ts";
import { gateTrackingSchema } from "../decisions/correction.ts";
import { decisionsSchema } from "../decisions/decision.ts";
import { crewModeSchema, crewStateSchema, LOOP_STATES, type LoopState } from "../states/states.ts";
import { sessionNameSchema } from "./session-name.ts";

/** Repairs per task and loop. */
export const MAX_REPAIRS = 3;

const counter = z.int().min(0).max(MAX_REPAIRS).optional();
const countersSchema = z.strictObject(Object.fromEntries(LOOP_STATES.map((loop) => [loop, counter])) as Record<LoopState, typeof counter>);

export const runtimeFlagsSchema = z.strictObject({ copilot_instructions_exists: z.boolean(), copilot_checked_at: instantSchema });
export type RuntimeFlags = z.infer<typeof runtimeFlagsSchema>;

/** Codes of the protocol itself; others name what stopped the session. */
export const BLOCKERS = {
  missingDecision: "mandatory_user_decision_missing",
  failedDispatch: "subagent_failure",
  persistence: "persistence_failure",
  agentBlocked: "agent_blocked",
  agentFailed: "agent_failed",
  precondition: "precondition_failed",
} as const;

/** `status.json`. The status of a task is in tasks.yaml alone: a field for it is unknown here, and refused. */
export const statusSchema = z
  .strictObject({
    current_state: crewStateSchema,
    session: sessionNameSchema,
    mode: crewModeSchema,
    blocker: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/)
      .optional(),
    assumptions: texts,
    user_decisions: decisionsSchema,
    gate_tracking: gateTrackingSchema.optional(),
    runtime_flags: runtimeFlagsSchema.optional(),
    retry_counts: z.record(taskIdSchema, countersSchema),
    known_issues: texts,
    last_ci_result: ciResultSchema,
    last_update: instantSchema,
  })
  .refine(({ current_state, blocker }) => (current_state === "BLOCKED") === (blocker !== undefined), {
    path: ["blocker"],
    error: "stands exactly while current_state is BLOCKED",
  })
  .refine(({ mode, user_decisions }) => mode === "full" || user_decisions.every(({ decision_id }) => /^UD-[0-9]/.test(decision_id)), {
    path: ["user_decisions"],
    error: "a lean session has no decision of a gate",
  })
  .refine(({ blocker, known_issues }) => blocker === undefined || known_issues.length > 0, {
    path: ["known_issues"],
    error: "must hold the detail of the blocker and how to recover",
  });
export type CrewStatus = z.infer<typeof statusSchema>;

export function parseStatus(text: string): Read<CrewStatus> {
  const json = parseStrictJson(text);
  return json.ok ? readAs(statusSchema, json.value) : refused([json.problem]);
}

/** A missing counter is 0. */
export function repairsOf(status: Pick<CrewStatus, "retry_counts">, taskId: string, loop: LoopState): number {
  return status.retry_counts[taskId]?.[loop] ?? 0;
}

export function withRepairs(status: CrewStatus, taskId: string, loop: LoopState, count: number): CrewStatus {
  return { ...status, retry_counts: { ...status.retry_counts, [taskId]: { ...status.retry_counts[taskId], [loop]: count } } };
}

export function blocked(status: CrewStatus, blocker: string, detail: string, recovery: string): CrewStatus {
  const issue = `${blocker}: ${detail} Recovery: ${recovery}`;
  return { ...status, current_state: "BLOCKED", blocker, known_issues: [...status.known_issues, issue] };
}

export function knownIssue(status: CrewStatus, issue: string): CrewStatus {
  if (!nonEmpty.safeParse(issue).success || status.known_issues.includes(issue)) return status;
  return { ...status, known_issues: [...status.known_issues, issue] };
}
