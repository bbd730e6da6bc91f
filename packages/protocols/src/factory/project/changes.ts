import { z } from "zod";
import { escalationRefSchema, moduleRefSchema, taskIdSchema, taskSchema } from "./state.ts";

const task = taskIdSchema;
const at = z.iso.datetime({ offset: true });
const text = z.string().regex(/\S/, "must not be empty");

/** Every change of a project's tasks. Decisions of people arrive in this form too, never as an edited file. */
export const changeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("dispatch"), task }),
  z.strictObject({ kind: z.literal("ship"), task, module_refs: z.array(moduleRefSchema).min(1), at }),
  z.strictObject({ kind: z.literal("halt"), task, reason: text, escalation_ref: escalationRefSchema }),
  z.strictObject({ kind: z.literal("requeue"), task, by: z.enum(["AMEND_SPEC", "APPROVE_CHANGE", "REJECT_CHANGE"]) }),
  z.strictObject({ kind: z.literal("resume"), task, by: z.enum(["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"]) }),
  z.strictObject({ kind: z.literal("abandon"), task, by: z.literal("ABANDON_TASK"), rationale: text }),
  z.strictObject({
    kind: z.literal("split"),
    task,
    /** Each with its entry; status and order are assigned here. */
    into: z.array(z.strictObject({ task_id: task, entry: taskSchema })).min(1),
  }),
  /** A person's statement that the task is resolved without being built here; the escalation records the rationale. */
  z.strictObject({
    kind: z.literal("attest"),
    task,
    rationale: text,
    escalation_ref: escalationRefSchema,
    module_refs: z.array(moduleRefSchema),
    at,
  }),
  /** New dependencies for a dependent of an abandoned task. */
  z.strictObject({ kind: z.literal("rewire"), task, depends_on: z.array(task) }),
]);
export type TaskChange = z.output<typeof changeSchema>;
