import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";

export const TASK_STATUSES = ["PENDING", "IN_PROGRESS", "SHIPPED", "HALTED", "BLOCKED", "ABANDONED"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const taskIdSchema = z
  .string()
  .regex(/^T-[a-z0-9-]+-\d{3}$/, "a task id, such as T-core-infra-auth-service-setup-001")
  .max(128);
export const moduleRefSchema = z.string().regex(/^MM-[\w-]+@\d+\.\d+\.\d+$/, "MM-...@version");
export const escalationRefSchema = z.string().regex(/^ESC-[\w-]+$/, "ESC-...");

export const taskSchema = z.strictObject({
  /** The folders of its file. */
  pillar: z.string().min(1),
  epic: z.string().min(1),
  story: z.string().min(1),
  task: z.string().min(1),
  status: z.enum(TASK_STATUSES),
  depends_on: z.array(taskIdSchema),
  /** The last module it shipped. */
  module_ref: moduleRefSchema.nullable(),
  /** All of them, in the order they shipped. */
  module_refs: z.array(moduleRefSchema),
  shipped_at: z.iso.datetime({ offset: true }).nullable(),
  halted_reason: z.string().nullable(),
  escalation_ref: escalationRefSchema.nullable(),
  /** Its position in the spec; never changes. */
  declaration_order: z.int().min(0),
  /** The tasks it was split into. */
  superseded_by: z.array(taskIdSchema).optional(),
});
export type Task = z.output<typeof taskSchema>;

export const stateMachineSchema = z.strictObject({
  project_id: z.string().min(1),
  spec_version: z.string().min(1),
  updated_at: z.iso.datetime({ offset: true }),
  tasks: z.record(taskIdSchema, taskSchema),
});
export type StateMachine = z.output<typeof stateMachineSchema>;

/** The cause of a change of status: the flow itself, or a person's answer. */
export type TaskCause =
  | "DISPATCH"
  | "ENGINEERING"
  | "CASCADE"
  | "APPROVE_OVERRIDE"
  | "AMEND_SPEC"
  | "SPLIT_TASK"
  | "REVISE_PLAN"
  | "PROVIDE_FIX"
  | "ABANDON_TASK"
  | "APPROVE_CHANGE"
  | "REJECT_CHANGE"
  | "ATTESTATION";

/** Every change of status with its causes. SHIPPED and ABANDONED are final. */
export const TASK_TRANSITIONS: Record<TaskStatus, { readonly [to in TaskStatus]?: readonly TaskCause[] }> = {
  PENDING: { IN_PROGRESS: ["DISPATCH"], BLOCKED: ["CASCADE"] },
  IN_PROGRESS: { SHIPPED: ["ENGINEERING"], HALTED: ["ENGINEERING"] },
  HALTED: {
    PENDING: ["AMEND_SPEC", "APPROVE_CHANGE", "REJECT_CHANGE"],
    IN_PROGRESS: ["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"],
    ABANDONED: ["ABANDON_TASK", "SPLIT_TASK"],
    SHIPPED: ["ATTESTATION"],
  },
  BLOCKED: { PENDING: ["CASCADE"], ABANDONED: ["ABANDON_TASK", "SPLIT_TASK"] },
  SHIPPED: {},
  ABANDONED: {},
};

export function assertTaskTransition(task: string, from: TaskStatus, to: TaskStatus, cause: TaskCause): void {
  const causes = TASK_TRANSITIONS[from][to];
  if (causes?.includes(cause) === true) return;
  const why = causes === undefined ? "there is no such change of status" : `${cause} is no reason for it`;
  throw refusedChange(task, `${task} cannot go from ${from} to ${to}: ${why}.`, { from, to, cause });
}

export function refusedChange(task: string, message: string, details: Record<string, unknown> = {}): SlipwayError {
  return new SlipwayError("invalid_status_transition", message, {
    task,
    ...details,
    suggested_next_actions: ["Run `slipway factory status`, and answer its question."],
  });
}
