import { moduleRef } from "../code-index/entry.ts";
import { contractSchema } from "@slipway/languages/contracts/schema";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { storePaths } from "../artifacts/layout.ts";
import { z } from "zod";

const nonEmpty = z.string().regex(/\S/, "must not be empty");
const { inputs, outputs, error_surfaces, effects } = contractSchema.shape;

export const EXCEPTION_TYPES = ["CANNOT_SUPPORT", "AMBIGUOUS", "INCOMPLETE", "MISSING_DIMENSION"] as const;

const modeChanges = z
  .strictObject({ sync: z.boolean().optional(), async: z.boolean().optional(), notes: z.string().optional() })
  .refine((modes) => Object.keys(modes).length > 0, "must change something, or be null");

export const contractDelta = z
  .strictObject({
    added_inputs: inputs,
    removed_inputs: z.array(nonEmpty).describe("By name."),
    modified_inputs: inputs.describe("As they are to be, found by name."),
    added_outputs: outputs,
    removed_outputs: z.array(nonEmpty).describe("By name."),
    modified_outputs: outputs.describe("As they are to be, found by name."),
    added_error_surfaces: error_surfaces,
    added_effects: effects,
    mode_changes: modeChanges.nullable(),
  })
  .refine(({ mode_changes, ...lists }) => mode_changes !== null || Object.values(lists).some((list) => list.length > 0), {
    error: "must contain at least one change",
  });
export type ContractDelta = z.output<typeof contractDelta>;

/** The input of `raise_interface_change_exception`. The caller's identity is not part of it. */
export const raiseInput = z.strictObject({
  type: z.enum(EXCEPTION_TYPES),
  target_module: moduleRef.describe("The dependency whose contract is not enough; never the module itself."),
  reason: nonEmpty,
  evidence: z.array(nonEmpty).min(1),
  proposed_delta: contractDelta,
  compatibility: z.enum(["BACKWARD_COMPATIBLE", "BREAKING", "UNKNOWN"]),
  urgency: z.enum(["BLOCKING", "HIGH", "NORMAL", "LOW"]),
});
export type RaiseExceptionInput = z.output<typeof raiseInput>;

export const interfaceChangeException = z.strictObject({
  exception_id: z.string().regex(/^ICE-[0-9a-f]{8}$/),
  type: raiseInput.shape.type,
  raised_by: z.strictObject({ artifact_ref: nonEmpty, role: nonEmpty, run_id: nonEmpty }),
  target_module: moduleRef,
  reason: nonEmpty,
  evidence: raiseInput.shape.evidence,
  proposed_contract_delta: contractDelta,
  compatibility_expectation: raiseInput.shape.compatibility,
  urgency: raiseInput.shape.urgency,
});
export type InterfaceChangeException = z.output<typeof interfaceChangeException>;

export const exceptionKind: DocumentKind<InterfaceChangeException> = {
  kind: "interface change exception",
  prefix: "ICE",
  idField: "exception_id",
  schema: interfaceChangeException,
  fixity: "once",
  files: (id, exception) => ({ [storePaths.exception(id)]: jsonText(exception) }),
};
