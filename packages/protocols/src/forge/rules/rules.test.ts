import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STEPS } from "../router/state.ts";
import { EXAMPLE_RECORD } from "../schemas/examples.ts";
import { concurrencyOf, MAX_CONCURRENT, subWaves } from "./concurrency.ts";
import { DEGRADATIONS, RUN_FACTS, runConfidence } from "./confidence.ts";
import { appendDecisions, decisionLogProblems } from "./decision-log.ts";
import { hygieneOf, isTrivial } from "./hygiene.ts";
import { baselineTag, runIdAt, runIdInNames } from "./run-id.ts";
import { setupConcerns } from "./setup-concerns.ts";

describe("concurrency", () => {
  test("[FOR-036] a wave is split into parts of at most four that keep its order", () => {
    expect(subWaves([1, 2, 3, 4, 5])).toEqual([[1, 2, 3, 4], [5]]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 30 }), (wave) => {
        const parts = subWaves(wave);
        expect(parts.flat()).toEqual(wave);
        expect(parts.every(({ length }) => length > 0 && length <= 4)).toBe(true);
        expect(parts).toHaveLength(Math.ceil(wave.length / 4));
      }),
    );
  });

  test("[FOR-046] each step has its cap, and none is above four", () => {
    const more = STEPS.filter((step) => concurrencyOf(step) > 1).map((step) => `${step}: ${concurrencyOf(step)}`);
    expect(more).toEqual(["1: 4", "3b: 3", "5: 4", "6: 4", "7: 3"]);
    expect(Math.max(...STEPS.map(concurrencyOf))).toBe(MAX_CONCURRENT);
  });
});

describe("[FOR-114] the confidence of a run", () => {
  test.each([
    [[], "High"],
    [["verification-exhausted"], "Low"],
    [["code-review-exhausted", "dissent"], "Low"],
    [["design-review-exhausted"], "Medium"],
    [["research-reduced"], "Medium"],
    [["dissent"], "Medium"],
    [["tier3-infeasible"], "Medium"],
    [["baseline-discrepancy"], "Medium"],
    [["known-issue"], "Medium"],
    [["yaml-ledger", "one-model"], "Medium"],
  ] as const)("with %j is %s", (facts, confidence) => {
    expect(runConfidence(facts)).toBe(confidence);
  });

  test("never rises with another fact", () => {
    const order = ["High", "Medium", "Low"];
    const facts = fc.subarray([...RUN_FACTS]);
    fc.assert(
      fc.property(facts, fc.constantFrom(...RUN_FACTS), (facts, more) => {
        expect(order.indexOf(runConfidence([...facts, more]))).toBeGreaterThanOrEqual(order.indexOf(runConfidence(facts)));
      }),
    );
  });

  test("[FOR-136] seven degradations have a warning", () => {
    expect(new Set(Object.keys(DEGRADATIONS))).toEqual(
      new Set<string>([
        "yaml-ledger",
        "one-model",
        "research-reduced",
        "knowledge-failed",
        "tier3-infeasible",
        "verification-exhausted",
        "code-review-exhausted",
      ]),
    );
    expect(DEGRADATIONS["one-model"]).toContain("Model diversity was not achieved");
  });
});

describe("[FOR-026] a run id", () => {
  test("is the time in UTC and whole seconds", () => {
    expect(runIdAt(new Date("2026-02-26T15:30:00.999+01:00"))).toBe("2026-02-26T14:30:00Z");
  });

  test("has no colon in tags and folders", () => {
    expect(runIdInNames("2026-02-26T14:30:00Z")).toBe("2026-02-26T14-30-00Z");
    expect(baselineTag("2026-02-26T14:30:00Z")).toBe("pipeline-baseline-2026-02-26T14-30-00Z");
  });
});

describe("[FOR-153] the decision log", () => {
  const other = { ...EXAMPLE_RECORD, id: "D-2" };
  const before = { decisions: [EXAMPLE_RECORD, other] };

  test("takes new entries at its end", () => {
    expect(decisionLogProblems(before, { decisions: [...before.decisions, { ...other, id: "D-3" }] })).toEqual([]);
    expect(decisionLogProblems({ decisions: [] }, before)).toEqual([]);
  });

  test("keeps every entry as it is and where it is", () => {
    expect(decisionLogProblems(before, { decisions: [EXAMPLE_RECORD] })).toEqual([expect.stringContaining("decisions/1: D-2 is removed")]);
    expect(decisionLogProblems(before, { decisions: [{ ...EXAMPLE_RECORD, rationale: "Other." }, other] })).toEqual([
      expect.stringContaining("decisions/0: D-1 is changed"),
    ]);
    expect(decisionLogProblems(before, { decisions: [other, EXAMPLE_RECORD] })).toHaveLength(2);
  });

  test("does not grow when the same entries are added again", () => {
    const added = appendDecisions(before, [other, { ...other, id: "D-3" }]);
    expect(added.decisions.map(({ id }) => id)).toEqual(["D-1", "D-2", "D-3"]);
    expect(decisionLogProblems(before, added)).toEqual([]);
  });
});

describe("[FOR-024] git hygiene", () => {
  test("stores both results and warns of a dirty tree or the branch main", () => {
    const status = " M src/a.ts\n?? notes.txt\n";
    expect(hygieneOf(status, "main\n", false)).toEqual({
      status,
      branch: "main",
      dirty: true,
      on_main: true,
      warnings: ["The checkout has 2 uncommitted changes.", "The checkout is on main."],
    });
    expect(hygieneOf("", "feature/names\n", false)).toMatchObject({ dirty: false, on_main: false, warnings: [] });
    expect(hygieneOf("", "main", false).warnings).toHaveLength(1);
    expect(hygieneOf(" M a\n", "feature", false).warnings).toEqual(["The checkout has 1 uncommitted change."]);
  });

  test("does not warn for a trivial change, and still stores the results", () => {
    expect(hygieneOf(" M a\n", "main", true)).toMatchObject({ dirty: true, on_main: true, warnings: [] });
  });

  test.each([
    ["Fix a typo in the README", true],
    ["Correct the spelling of two comments in src/user.ts", true],
    ["Add a limit to display names", false],
    ["Document and implement the export endpoint", false],
    ["Remove the docs of the old API", false],
    [`Fix a typo ${"and more ".repeat(20)}`, false],
    ["", false],
  ])("%j is trivial: %s", (request, trivial) => {
    expect(isTrivial(request)).toBe(trivial);
  });
});

describe("[FOR-027] concerns of a request", () => {
  test.each([
    ["", "vagueness", "empty", "Blocker"],
    ["Rewrite the entire application in Rust", "scope", "whole-system", "Critical"],
    [`Build a shop with:\n${"- a page for `x`\n".repeat(8)}`, "scope", "many-parts", "Major"],
    ["Without new dependencies, install the lodash package for src/a.ts", "conflict", "dependencies", "Major"],
    ["Keep it backwards compatible and remove the old `users` endpoint", "conflict", "compatibility", "Critical"],
    ["Skip tests for `saveUser`, but write unit tests for the import", "conflict", "tests", "Major"],
    ["Add dark mode", "vagueness", "short", "Major"],
    ["Make the start page load faster and look nicer", "vagueness", "no-measure", "Major"],
    ["Add fields to src/user.ts: name, age, etc.", "vagueness", "placeholder", "Minor"],
  ])("%j raises %s", (request, kind, rule, severity) => {
    expect(setupConcerns(request)).toEqual([expect.objectContaining({ rule, kind, severity })]);
  });

  test("each is a question with proceed, modify and abandon", () => {
    const concerns = setupConcerns("Rewrite everything somehow, keep the API, rename all endpoints");
    expect(concerns.map(({ kind }) => kind)).toEqual(["scope", "conflict", "vagueness"]);
    for (const { question, options } of concerns) {
      expect(question).toMatch(/\?$/);
      expect(options.map(({ id }) => id)).toEqual(["proceed", "modify", "abandon"]);
    }
  });

  test.each([
    "Limit a display name to 80 characters in src/user.ts and show the error in the form",
    "Load the start page within 200 ms: it should be faster than the 900 ms of today",
    "Add tests for the import of users with empty names",
    "Add an endpoint /users/export that streams all users as CSV, without new dependencies",
  ])("%j raises none", (request) => {
    expect(setupConcerns(request)).toEqual([]);
  });
});
