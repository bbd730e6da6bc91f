import { expect, test } from "vitest";
import { endedLine, startedText } from "../narration/step-text.ts";
import { FORGE_NARRATION } from "./narrate.ts";

const ended = (name: string, value: unknown) => endedLine(FORGE_NARRATION, name, JSON.stringify({ value }));
const route = (row: number, input: string, action: object, escalation: string | null = null) => ({ row, input, action, escalation });

test.each([
  ["forge-setup", "step 0: setting up"],
  ["forge-dispatch:planner:plan.1", "planner at work (plan.1)"],
  ["forge-agent:planner:plan.1", "planner at work (plan.1)"],
  ["forge-baseline:task-01", "task-01: baseline checks"],
  ["forge-cascade:task-01:2", "task-01: checks, round 2"],
  ["forge-revert:task-01:2", "task-01: reverting"],
  ["forge-bundle:merged-1", "step 8b: the evidence bundle"],
  ["begin", null],
])("while %s is under way a person reads: %s", (name, text) => expect(startedText(FORGE_NARRATION, name)).toBe(text));

const done = (status: string) => ({ ok: true, value: { answer: { completion: { status, summary: "It is small." } } } });

test.each([
  ["forge-setup", { run_id: "R", warnings: [] }, "step 0: run R", true],
  [
    "forge-setup",
    { run_id: "R", warnings: ["The checkout is dirty.", "It is on main."] },
    "step 0: run R; The checkout is dirty. It is on main.",
    null,
  ],
  ["forge-agent:spec:spec.1", done("DONE"), "spec (spec.1): DONE, It is small.", true],
  ["forge-agent:verifier:task-01-w1-i1.1", done("NEEDS_REVISION"), "verifier (task-01-w1-i1.1): NEEDS_REVISION, It is small.", null],
  ["forge-agent:spec:spec.2", { ok: false, failure: { message: "no JSON" } }, "spec (spec.2) gave no valid output: no JSON", false],
  ["forge-baseline:task-01", { task_id: "task-01", checks: 3 }, "task-01: 3 baseline rows", null],
  ["forge-cascade:task-01:1", { task_id: "task-01", passed: 3, failed: 0, infeasible: null }, "task-01: 3 checks passed, 0 failed", true],
  [
    "forge-cascade:task-01:1",
    { task_id: "task-01", passed: 1, failed: 1, infeasible: "no module loads" },
    "task-01: 1 checks passed, 1 failed; tier 3 infeasible: no module loads",
    false,
  ],
  ["forge-revert:task-01:2", { restored: [], deleted: [] }, "task-01: restored from the baseline tag", null],
  ["forge-note:yaml-ledger", "SQLite cannot be used", "SQLite cannot be used", null],
  ["forge-bundle:8b", { confidence: "High" }, "step 8b: evidence bundle written, confidence High", true],
  ["forge-bundle:8b", { confidence: "Low" }, "step 8b: evidence bundle written, confidence Low", false],
  ["forge-route:1", route(2, "the request", { type: "pushback", how: "none" }), "row 2, the request: no concerns", null],
  [
    "forge-route:1",
    route(2, "the request", { type: "pushback", how: "ask" }),
    "row 2, the request: go on; its concerns are asked about",
    null,
  ],
  ["forge-route:1", route(2, "the request", { type: "pushback", how: "log" }), "row 2, the request: go on; its concerns are logged", null],
  ["forge-route:5", route(12, "verification", { type: "go", step: "7" }), "row 12, verification: go on to step 7", null],
  [
    "forge-route:6",
    route(9, "design review", { type: "fail", reason: "a reviewer blocks" }),
    "row 9, design review: ERROR: a reviewer blocks",
    false,
  ],
  [
    "forge-route:7",
    route(8, "design review", { type: "go", step: "4" }, "exhausted"),
    "row 8, design review: go on to step 4 (exhausted)",
    null,
  ],
])("when %s has ended with %j a person reads it in one line", (name, value, text, good) => {
  expect(ended(name, value)).toEqual({ text, good });
});

test("a gate shows its counts and the SQL that decided, on one line each", () => {
  const gate = (passed: boolean) => ({
    gate: "baseline-exists",
    count: passed ? 1 : 0,
    comparison: ">=",
    needed: 1,
    passed,
    sql: "SELECT\n  1",
  });
  const line = ended("forge-ledger:1", { of: "task-01", gates: [gate(true), gate(false)] });
  expect(line).toEqual({
    text: "gates of task-01: baseline-exists 1 >= 1 holds; baseline-exists 0 >= 1 fails",
    good: false,
    more: ["SELECT 1", "SELECT 1"],
  });
});
