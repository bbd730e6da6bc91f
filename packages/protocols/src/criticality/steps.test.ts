import { describe, expect, test } from "vitest";
import { endedLine, startedText } from "../narration/step-text.ts";
import { CRITICALITY_NARRATION, shortName } from "./steps.ts";

const told = (name: string, value: unknown) => endedLine(CRITICALITY_NARRATION, name, JSON.stringify({ value }));
const ID = "src/domain/account.ts#deposit";

describe("what a person reads of a run", () => {
  test("a transition is told if it has a text", () => {
    expect(told("state:3", { text: "all functions are written", good: true })).toEqual({ text: "all functions are written", good: true });
    expect(told("state:3", { text: null, good: null })).toBeNull();
  });

  test("a skeleton compiles with its functions, or has problems", () => {
    expect(told("lattice:1:1", { lattice: { functions: [1, 2] }, problems: [] })?.text).toBe("the skeleton compiles: 2 functions to write");
    expect(told("lattice:1:1", { lattice: null, problems: [1] })).toEqual({ text: "the skeleton has 1 problem", good: false });
    expect(told("lattice:1:1", { lattice: null, problems: [1, 2] })?.text).toBe("the skeleton has 2 problems");
  });

  test("a body is accepted, or the attempt and its failure are named", () => {
    expect(startedText(CRITICALITY_NARRATION, `verify:${ID}:1:2`)).toBe("checking account.deposit");
    expect(told(`verify:${ID}:1:2`, null)).toEqual({ text: "account.deposit accepted", good: true });
    expect(told(`verify:${ID}:1:2`, { type: "timeout" })).toEqual({
      text: "account.deposit: attempt 2 exceeds its time limit",
      good: false,
    });
  });

  test.each([
    ["pass", "", { text: "account.deposit passes formal verification", good: true }],
    ["fail", "counterexample", { text: "account.deposit fails formal verification: counterexample", good: false }],
    ["inconclusive", "", { text: "account.deposit has no formal verdict", good: null }],
  ])("a formal verdict: %s", (verdict, message, line) => {
    expect(startedText(CRITICALITY_NARRATION, `formal:${ID}:1:1`)).toBe("verifying account.deposit");
    expect(told(`formal:${ID}:1:1`, { verdict, message })).toEqual(line);
  });

  test("security scanners: what ran, what it found and what did not run", () => {
    const report = { findings: [], ran: [], missing: [], failed: [] };
    expect(told("scanners:1", report)).toBeNull();
    expect(told("scanners:1", { ...report, ran: ["bandit"], missing: [{ tool: "safety" }] })).toEqual({
      text: "security scanners, bandit: 0 findings; not run: safety (see slipway criticality status)",
      good: null,
    });
    expect(told("scanners:1", { ...report, ran: ["bandit"], findings: [{}] })).toEqual({
      text: "security scanners, bandit: 1 finding",
      good: false,
    });
    expect(told("scanners:1", { ...report, failed: [{ tool: "gosec" }] })?.text).toContain("not run: gosec");
  });

  test("what is kept of an earlier run is told as it is", () =>
    expect(told("keep-plan:1", "3 bodies are kept")?.text).toBe("3 bodies are kept"));

  test("a cycle of functions is named by all of them", () => {
    expect(shortName(`${ID}+src/services/bank.py#total`)).toBe("account.deposit + bank.total");
  });
});
