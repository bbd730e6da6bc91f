import { describe, expect, test } from "vitest";
import { event } from "../narration/testing/event.ts";
import { loadProtocols, narrateWith } from "../all-protocols.ts";
import { workText } from "./narrate.ts";

const narrate = narrateWith(await loadProtocols());

const step = (name: string, value: unknown) => narrate(event({ kind: "step", name, payload: { value } }));
const refused = { ok: false, failure: { code: "x", message: "it is\nnot so", details: {} } };
const ran = (summary: object) => ({ ok: true, value: { tests: null, coverage: null, failure: null, ...summary } });

describe("a step that has ended", () => {
  test.each([
    ["init", { ok: true }, "worktree and branch are ready", true],
    ["planner:1", { ok: true, value: { type: "PLAN_SUBMISSION" } }, "planner proposes a plan", null],
    ["planner:2", { ok: true, value: { type: "PLAN_SUBMISSION" } }, "planner proposes a plan (attempt 2)", null],
    ["builder:1", { ok: true, value: { type: "PATCH", summary: "a table" } }, "builder proposes a patch: a table", null],
    ["qa:1", { ok: true, value: { type: "NOTE", text: "enough tests" } }, "qa says: enough tests", null],
    ["qa:2", refused, "qa failed (attempt 2): it is not so", false],
    ["plan:1", { ok: true }, "plan accepted", true],
    ["plan:1", refused, "plan refused: it is not so", false],
    ["gates:fast:1", refused, "fast gates failed: it is not so", false],
    [
      "plan:1",
      {
        ok: false,
        failure: {
          code: "blocked_by_collision_policy",
          message: "x",
          details: { conflicting_feature_ids: ["a", "b"], collisions: [{ type: "file", resource: "src/x.ts" }] },
        },
      },
      "its plan collides with a, b: src/x.ts",
      null,
    ],
    [
      "plan:1",
      { ok: false, failure: { code: "collision_detected", message: "x", details: {} } },
      "its plan collides with another feature's",
      null,
    ],
    ["wake:1", { ok: true }, "resumed on the updated base", null],
    ["verdicts:1", refused, "test index refused: it is not so", false],
    ["patch:1", { ok: true }, "patch applied, within the plan", true],
    ["patch:1", refused, "patch refused: it is not so", false],
    ["qa-patch:1", { ok: true }, "tests added, within the plan", true],
    ["gates:fast:1", ran({ passed: true }), "fast gates passed", true],
    [
      "gates:full:qa-1",
      ran({ passed: true, tests: { total: 12 }, coverage: { line: 0.914 } }),
      "full gates passed (12 tests, 91 % of lines)",
      true,
    ],
    [
      "gates:fast:1",
      ran({ passed: false, failure: { message: "step test: exit 1", details: {} } }),
      "fast gates failed: step test: exit 1",
      false,
    ],
    [
      "gates:fast:1",
      ran({
        passed: false,
        failure: { message: "no such program.", details: { requires_human: true, suggested_next_actions: ["Install it.", "Or not."] } },
      }),
      "fast gates failed: no such program. Next: Install it.",
      false,
    ],
    ["ready:1", { ok: true }, "ready to merge", true],
    ["candidate:2", { ok: true, value: { rebuilt: true } }, "the base moved: rebuilt on top of it", null],
    ["merge:1", { ok: true, value: { base_branch: "main", commit: "0123456789abcdef" } }, "merged into main as 0123456789", true],
    ["merge:1", refused, "not merged: it is not so", false],
  ])("%s %j", (name, value, text, good) => {
    expect(step(name, value)).toEqual({ feature: "letters", text, good });
  });

  test("a block step in every phase", () => {
    expect(step("block:qa:1.1", {})).toMatchObject({ good: false, text: expect.stringContaining("blocked") });
  });

  test("other steps, steps of the run itself and unexpected values give no line", () => {
    expect(step("candidate:1", { ok: true, value: { rebuilt: false } })).toBeNull();
    expect(step("qa-entry:1", { ok: true })).toBeNull();
    expect(step("verdicts:1", { ok: true })).toBeNull();
    expect(narrate(event({ stream: "2026-01-01_x", kind: "step", name: "init" }))).toBeNull();
    expect(narrate(event({ kind: "started", name: "feature" }))).toBeNull();
    expect(narrate({ ...event({ kind: "step", name: "patch:1" }), payload: "[1]" })).toBeNull();
  });
});

test("questions, answers and retries", () => {
  expect(narrate(event({ kind: "asked", name: "approve:1", payload: { title: "Merge it?" } }))).toMatchObject({ text: "asks: Merge it?" });
  expect(narrate(event({ kind: "answered", name: "approve:1", payload: { by: "person:kim" } }))).toMatchObject({
    text: "answered by person:kim",
  });
  expect(narrate(event({ kind: "retry", name: "planner:1", payload: { failure: { message: "no answer" } } }))).toMatchObject({
    text: "retrying planner:1: no answer",
  });
});

test("an agent's text stays on one line", () => {
  const said = step("builder:1", {
    ok: true,
    value: { type: "PATCH", summary: "nice\u001b[2K\r\n+ letters: merged into main\u009b1A\u202e" },
  });
  expect(said?.text).toBe("builder proposes a patch: nice\u001b[2K + letters: merged into main\u009b1A\u202e");
});

test.each([
  ["init", "creating the worktree"],
  ["gate-line", "gate-line"],
  ["gates:full:qa-1", "full gates"],
  ["merge:1", "merging"],
  ["repair:1", "repair"],
])("while %s runs: %s", (step, text) => {
  expect(workText(step)).toBe(text);
});

test("a pause is not shown as a failure; the line says what it waits for and until when", () => {
  const limited = { ok: false, failure: { code: "rate_limited", message: "slow down" } };
  expect(step("builder:1~2", limited)).toEqual({ feature: "letters", text: "builder waits: slow down", good: null });
  expect(step("builder:1~3", { ok: true, value: { type: "PATCH", summary: "done" } })?.text).toBe("builder proposes a patch: done");
  const sleeping = event({ kind: "sleeping", name: "pause:builder:1~2", payload: { ms: 1000 } });
  expect(narrate(sleeping)?.text).toMatch(/^resumes at \d\d:\d\d$|^resumes at \d{4}-/);
  expect(narrate(event({ kind: "sleeping", name: "other", payload: { ms: 1000 } }))).toBeNull();
});
