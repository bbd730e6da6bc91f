import { checkSchema } from "@slipway/kernel/schema/violations";
import { moduleRef } from "../code-index/entry.ts";
import { z } from "zod";
import { planDraftSchema } from "../engineering/micro-plan.ts";
import { newTaskSchema } from "../project/split.ts";
import { taskIdSchema } from "../project/state.ts";
import { RESOLUTIONS, type ResolutionAction } from "./schema.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");

/** One of six resolutions, each with its payload. Plain text is not an answer. */
export const humanResolution = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("APPROVE_OVERRIDE"), rationale: nonEmpty, module_id: nonEmpty.optional() }),
  z.strictObject({
    action: z.literal("AMEND_SPEC"),
    amended_acceptance_criteria: z.array(nonEmpty).min(1),
    amendment_rationale: nonEmpty,
    /** New dependencies; required if the task depends on an abandoned one. */
    depends_on: z.array(taskIdSchema).optional(),
  }),
  z.strictObject({ action: z.literal("SPLIT_TASK"), new_tasks: z.array(newTaskSchema).min(1) }),
  z.strictObject({ action: z.literal("REVISE_PLAN"), revised_micro_plan: planDraftSchema }),
  z.strictObject({
    action: z.literal("PROVIDE_FIX"),
    fix_description: nonEmpty,
    fix_artifacts: z.record(z.string(), z.string()).refine((files) => Object.keys(files).length > 0, "must hold at least one file"),
    /** Which failed module it fixes; required if several failed. */
    module_id: nonEmpty.optional(),
  }),
  z.strictObject({ action: z.literal("ABANDON_TASK"), rationale: nonEmpty }),
]);
export type HumanResolution = z.output<typeof humanResolution>;

/** A person's statement that the task is resolved without being built here. An operation of its own, not an answer to an escalation. */
export const attestation = z.strictObject({ rationale: nonEmpty, module_refs: z.array(moduleRef).default([]) });
export type Attestation = z.output<typeof attestation>;

export type CheckedAnswer =
  { readonly ok: true; readonly resolution: HumanResolution } | { readonly ok: false; readonly problems: readonly string[] };

/** Reports every violation. */
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

/** What each resolution does, for the person who chooses. */
export const CONSEQUENCES: Readonly<Record<ResolutionAction, string>> = {
  APPROVE_OVERRIDE: "ship the module unchanged, with your `rationale`; fingerprint and tests must still pass",
  AMEND_SPEC: "replace the acceptance criteria and build the task again from scratch",
  SPLIT_TASK: "replace it by `new_tasks`; its dependents wait until you decide about each",
  REVISE_PLAN: "build the task from your `revised_micro_plan`; modules it has shipped stay shipped",
  PROVIDE_FIX: "apply your `fix_artifacts` to the module and challenge the result",
  ABANDON_TASK: "never build it; its dependents wait until you decide about each",
};
