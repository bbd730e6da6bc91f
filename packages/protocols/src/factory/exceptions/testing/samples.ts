import type { Contract } from "@slipway/languages/contracts/schema";
import type { ContractDelta, InterfaceChangeException, RaiseExceptionInput } from "../schema.ts";

export const NO_CHANGE: ContractDelta = {
  added_inputs: [],
  removed_inputs: [],
  modified_inputs: [],
  added_outputs: [],
  removed_outputs: [],
  modified_outputs: [],
  added_error_surfaces: [],
  added_effects: [],
  mode_changes: null,
};

const LOCALE = { name: "locale", type: "string | undefined", constraints: ["optional"] };

/** A consumer that needs to state the language of a duration. */
export function raise(): RaiseExceptionInput {
  return {
    type: "INCOMPLETE",
    target_module: "MM-parse_duration@1.0.0",
    reason: "Durations of other languages cannot be read.",
    evidence: ['parse("1 Stunde") throws DurationError'],
    proposed_delta: { ...NO_CHANGE, added_inputs: [LOCALE] },
    compatibility: "BACKWARD_COMPATIBLE",
    urgency: "BLOCKING",
  };
}

export function exception(fields: Partial<InterfaceChangeException> = {}): InterfaceChangeException {
  const { proposed_delta, compatibility, ...rest } = raise();
  return {
    exception_id: "ICE-0a1b2c3d",
    ...rest,
    proposed_contract_delta: proposed_delta,
    compatibility_expectation: compatibility,
    raised_by: { artifact_ref: "IMPL-0a1b2c3d@1.0.0", role: "proposer", run_id: "run-1" },
    ...fields,
  };
}

export const CURRENT: Contract = {
  module_id: "MM-parse_duration",
  module_version: "1.0.0",
  name: "parse duration",
  purpose: "Turns a written duration into minutes.",
  tags: ["time"],
  inputs: [{ name: "text", type: "string", constraints: ["not empty"] }],
  outputs: [{ name: "minutes", type: "number", invariants: ["never negative"] }],
  error_surfaces: [{ name: "DurationError", when: "the text is no duration", surface: "exception" }],
  effects: [],
  modes: { sync: true, async: false, notes: "" },
  error_cases: ["a unit that does not exist"],
  dependencies: [],
  compatibility: { backward_compatible_with: [], breaking_change_policy: "a new major version" },
  runtime_budgets: {},
};
