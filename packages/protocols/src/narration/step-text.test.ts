import { expect, test } from "vitest";
import { stepKind } from "./step-kind.ts";
import { endedLine, narrates, roleAtWork, startedText } from "./step-text.ts";

const GATES = stepKind("gates:*:*").records<{ readonly passed: boolean }>();
const WRITER = stepKind("writer:*").records<{ readonly text: string }>();
const ROWS = [
  narrates(GATES, { starts: (mode) => `${mode} gates`, ends: ({ passed }, mode) => ({ text: `${mode} gates ran`, good: passed }) }),
  narrates(WRITER, { role: "writer", starts: "writing", large: "wrote a long text", ends: ({ text }) => ({ text, good: null }) }),
];
const recorded = (value: unknown) => JSON.stringify({ value });
const SPILLED = `{"$blob":"${"a".repeat(64)}","bytes":70000}`;

test.each([
  ["gates:fast:1", ["fast", "1"]],
  ["gates:full:qa-2.1", ["full", "qa-2.1"]],
  ["gates:fast:1~3", ["fast", "1"]],
  ["gates:fast:1^2~3", ["fast", "1"]],
  ["gates:fast", null],
  ["passed:gates:fast:1", null],
  ["gates::1", null],
])("the parts of the name %s are %j", (name, parts) => expect(GATES.partsOf(name)).toEqual(parts));

test("a name is the pattern with its parts, and has the same parts again", () => {
  const name = stepKind("*/ship:*:register").records<null>().named("MM-a", 2);
  expect(name).toBe("MM-a/ship:2:register");
  expect(stepKind("*/ship:*:register").records<null>().partsOf(name)).toEqual(["MM-a", "2"]);
  expect(stepKind("init").records<null>().named()).toBe("init");
});

test("a step under way is told by its row, and by no other", () => {
  expect(startedText(ROWS, "gates:full:1")).toBe("full gates");
  expect(startedText(ROWS, "merge:1")).toBeNull();
});

test("a step that has ended is told with its result and the parts of its name", () => {
  expect(endedLine(ROWS, "gates:fast:1", recorded({ passed: false }))).toEqual({ text: "fast gates ran", good: false });
  expect(endedLine(ROWS, "merge:1", recorded({}))).toBeNull();
});

test("a result that went to a blob is told without its contents", () => {
  expect(endedLine(ROWS, "gates:fast:1", SPILLED)).toEqual({ text: "fast gates: done", good: null });
  expect(endedLine(ROWS, "writer:1", SPILLED)).toEqual({ text: "wrote a long text", good: null });
});

test("a result of another shape, as another version may have recorded, is told only if it failed", () => {
  const rows = [narrates(WRITER, { ends: ({ text }) => ({ text: text.trim(), good: null }) })];
  expect(endedLine(rows, "writer:1", recorded({ words: 1 }))).toBeNull();
  const failed = recorded({ ok: false, failure: { message: "no disk" } });
  expect(endedLine(rows, "writer:1", failed)).toEqual({ text: "writer:1 failed: no disk", good: false });
});

test("the role at work and its attempt come from the name", () => {
  expect(roleAtWork(ROWS, "writer:2~3")).toEqual({ role: "writer", attempt: "2" });
  expect(roleAtWork(ROWS, "gates:fast:1")).toBeNull();
});
