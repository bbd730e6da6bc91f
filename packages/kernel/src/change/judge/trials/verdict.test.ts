import type { Failure } from "@slipway/durable/errors";
import { expect, test } from "vitest";
import { verdictOf } from "./verdict.ts";

const failure = (code: Failure["code"], details: Record<string, unknown> = {}): Failure => ({ code, message: "", details });
const coverage = (measured: unknown, required: unknown) => failure("coverage_below_minimum", { measured, required });

test.each<readonly [string, string, Failure | null]>([
  ["pass", "a gate that passes", null],
  ["fail", "a step that fails", failure("gate_failed")],
  ["warn", "a report without a test in it", failure("no_tests_ran", { reports: 1 })],
  ["fail", "no report at all", failure("no_tests_ran", { reports: 0 })],
  ["warn", "coverage that a change may raise", coverage({ line: 0.4, branch: 0.2 }, { line: 0.9, branch: 0.9 })],
  ["warn", "coverage of lines, where branches are not asked for", coverage({ line: 0.4, branch: null }, { line: 0.9, branch: null })],
  [
    "fail",
    "a report that does not count the branches that are asked for",
    coverage({ line: 0.95, branch: null }, { line: 0.9, branch: 0.9 }),
  ],
  ["fail", "a report that was not read", coverage(undefined, { line: 0.9 })],
  ["fail", "a minimum that nobody has named", coverage({ line: 0.4 }, {})],
  ["fail", "a failure that says nothing of minimums", failure("coverage_below_minimum")],
])("%s on the base: %s", (verdict, _what, seen) => expect(verdictOf(seen)).toBe(verdict));
