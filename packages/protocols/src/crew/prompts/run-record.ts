import { z } from "zod";
import { dispatchedRoleSchema, nonEmpty, projectTypeSchema, taskIdSchema, texts } from "../contract/names.ts";
import { CORRECTING_ROLES } from "../decisions/correction.ts";
import { crewStateSchema, isGate } from "../states/states.ts";

const MAX_DISPATCHES = 2;

const dispatchRecord = z.strictObject({
  agent: dispatchedRoleSchema,
  task: taskIdSchema,
  project_type: projectTypeSchema,
  /** The items of the role's checklist that the type of project excludes. */
  not_applicable: z.array(nonEmpty).min(1).optional(),
});
export type DispatchRecord = z.infer<typeof dispatchRecord>;

/** One line of the run log for each step. */
export const runRecordSchema = z
  .strictObject({
    state: crewStateSchema,
    dispatch: z.array(dispatchRecord).max(MAX_DISPATCHES),
    why: nonEmpty,
    blockers: texts,
    next_state_hint: crewStateSchema.nullable(),
    /** Digests of the context files that the agent got, by path. */
    context: z.record(z.string(), z.string()).optional(),
  })
  .refine(({ state, dispatch }) => !isGate(state) || dispatch.every(({ agent }) => CORRECTING.includes(agent)), {
    path: ["dispatch"],
    error: "a gate dispatches nothing but corrections",
  });
export type RunLogRecord = z.infer<typeof runRecordSchema>;

const CORRECTING: readonly string[] = CORRECTING_ROLES;

export function printRunRecord(record: RunLogRecord): string {
  return `${JSON.stringify(runRecordSchema.parse(record))}\n`;
}
