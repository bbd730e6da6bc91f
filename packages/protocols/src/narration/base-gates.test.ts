import type { JournalEvent } from "@slipway/durable/chain";
import { describe, expect, test } from "vitest";
import { narrateBase, startedText } from "./base-gates.ts";

const event = (kind: string, payload: unknown, name = "base-gates:1", stream = "run") =>
  ({ stream, kind, name, payload: JSON.stringify(payload) }) as unknown as JournalEvent;

const TRIAL = { mode: "fast", status: "pass", remembered: false, tests: null, failure: null, step: null };
const ended = (...trials: object[]) => narrateBase(event("step", { value: { of: "main", trials } }));

describe("the gates on the base", () => {
  test("say which modes pass, with their tests and whether they ran before", () => {
    expect(ended(TRIAL)).toEqual({ feature: "main", text: "before any change: fast gates pass", good: true });
    expect(ended({ ...TRIAL, tests: { total: 1 } }, { ...TRIAL, mode: "full", tests: { total: 3 }, remembered: true })?.text).toBe(
      "before any change: fast gates pass (1 test); full gates pass (3 tests), as before",
    );
  });

  test("say why a mode fails, at which step, and what is noted about one that passes", () => {
    const failure = { message: "exit code 1." };
    expect(ended({ ...TRIAL, status: "fail", failure, step: { name: "test" } })).toEqual({
      feature: "main",
      text: 'before any change: fast gates fail at step "test": exit code 1.',
      good: false,
    });
    expect(ended({ ...TRIAL, status: "fail" })?.text).toBe("before any change: fast gates fail: ");
    expect(ended({ ...TRIAL, status: "warn", failure })).toMatchObject({
      text: "before any change: fast gates pass, but: exit code 1.",
      good: true,
    });
    expect(ended({ ...TRIAL, status: "warn" })?.text).toContain(", but: ");
  });

  test("the question about red gates and its answer are told", () => {
    expect(narrateBase(event("asked", { title: "Red" }, "base-gates:1:red"))?.text).toBe("asks: Red");
    expect(narrateBase(event("answered", { by: "person:kim" }, "base-gates:1:red"))?.text).toBe("answered by person:kim");
  });

  test.each([
    event("step", {}),
    event("step", { value: { of: "main" } }),
    event("retry", { value: { of: "main", trials: [] } }),
    event("step", {}, "merge:1"),
    event("step", {}, "base-gates:1", "run/feature"),
  ])("other events say nothing", (other) => expect(narrateBase(other)).toBeNull());

  test("a trial under way is told, but not that of a child run", () => {
    expect(startedText("run", "base-gates:1")).toContain("before any agent is called");
    expect(startedText("run/feature", "base-gates:1")).toBeNull();
    expect(startedText("run", "merge:1")).toBeNull();
  });
});
