import { checkSchema } from "@slipway/kernel/schema/violations";
import { moduleRef } from "../code-index/entry.ts";
import { z } from "zod";
import { planDraftSchema } from "../engineering/micro-plan.ts";
import { newTaskSchema } from "../project/split.ts";
import { taskIdSchema } from "../project/state.ts";
import { RESOLUTIONS, type ResolutionAction } from "./schema.ts";

const said = z.string().regex(/\S/, "must not be empty");

/** One of the six, each with all it needs. Text alone is no answer. */
export const humanResolution = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("APPROVE_OVERRIDE"), rationale: said, module_id: said.optional() }),
  z.strictObject({
    action: z.literal("AMEND_SPEC"),
    amended_acceptance_criteria: z.array(said).min(1),
    amendment_rationale: said,
    /** What it builds on instead; needed where it depends on a task that was abandoned. */
    depends_on: z.array(taskIdSchema).optional(),
  }),
  z.strictObject({ action: z.literal("SPLIT_TASK"), new_tasks: z.array(newTaskSchema).min(1) }),
  z.strictObject({ action: z.literal("REVISE_PLAN"), revised_micro_plan: planDraftSchema }),
  z.strictObject({
    action: z.literal("PROVIDE_FIX"),
    fix_description: said,
    fix_artifacts: z.record(z.string(), z.string()).refine((files) => Object.keys(files).length > 0, "must hold at least one file"),
    /** Which of the failed modules it mends, where there are several. */
    module_id: said.optional(),
  }),
  z.strictObject({ action: z.literal("ABANDON_TASK"), rationale: said }),
]);
export type HumanResolution = z.output<typeof humanResolution>;

/** A person's word that the task is resolved without being built here. Never an answer to an escalation: an operation of its own. */
export const attestation = z.strictObject({ rationale: said, module_refs: z.array(moduleRef).default([]) });
export type Attestation = z.output<typeof attestation>;

export type CheckedAnswer =
  { readonly ok: true; readonly resolution: HumanResolution } | { readonly ok: false; readonly problems: readonly string[] };

/** All that is missing or wrong, at once. */
export function checkAnswer(value: unknown): CheckedAnswer {
  const checked = checkSchema(humanResolution, value);
  if (checked.ok) return { ok: true, resolution: checked.value };
  const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`);
  const isObject = typeof value === "object" && value !== null && "action" in value;
  return {
    ok: false,
    problems: isObject ? listed : [`An answer names one action of ${RESOLUTIONS.join(", ")}, with its payload.`, ...listed],
  };
}

/** What each of them would do, for whoever has to choose. */
export const CONSEQUENCES: Readonly<Record<ResolutionAction, string>> = {
  APPROVE_OVERRIDE: "ship the module as it is, on your `rationale`; its fingerprint and its tests still have to pass",
  AMEND_SPEC: "replace the acceptance criteria and build the task again from scratch",
  SPLIT_TASK: "put `new_tasks` in its place; what depends on it waits until you decide about each",
  REVISE_PLAN: "build the task by your `revised_micro_plan`; what it has shipped stays shipped",
  PROVIDE_FIX: "put your `fix_artifacts` into the module and have them challenged",
  ABANDON_TASK: "never build it; what depends on it waits until you decide about each",
};
