import type { Contract } from "../schema.ts";

/** A module that parses a duration such as "1h30m" into minutes. */
export const PARSE_DURATION: Contract = {
  module_id: "MM-parse_duration",
  module_version: "1.0.0",
  name: "parse duration",
  purpose: "Turns a written duration into minutes.",
  tags: ["time", "parsing"],
  inputs: [{ name: "text", type: "string", constraints: ["not empty"] }],
  outputs: [{ name: "minutes", type: "number", invariants: ["never negative"] }],
  error_surfaces: [{ name: "DurationError", when: "the text is no duration", surface: "exception" }],
  effects: [],
  modes: { sync: true, async: false, notes: "" },
  error_cases: ["an empty text", "a unit that does not exist"],
  dependencies: [],
  compatibility: { backward_compatible_with: [], breaking_change_policy: "a new major version" },
  runtime_budgets: {},
};
