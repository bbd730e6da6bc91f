import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeCandidate, regressionsIn, WORSE_RATIO } from "./compare-results.ts";
import { summaryOf, type CaseResult } from "./result.ts";

const PASSED: CaseResult = {
  case: "micro/clamp",
  passed: true,
  first_pass: true,
  tier: "worker",
  reason: null,
  functions: 1,
  attempts: 1,
  tokens_in: 100,
  tokens_out: 50,
  cost_usd: 0.1,
  duration_ms: 1000,
  substitutes: [],
};
const FAILED: CaseResult = { ...PASSED, passed: false, first_pass: false, tier: null, reason: "hidden tests fail: a" };
const SECOND: CaseResult = { ...PASSED, first_pass: false, attempts: 2 };

/** Numbered cases. */
const cases = (...some: readonly CaseResult[]) => some.map((one, index) => ({ ...one, case: `micro/${index}` }));

const anyCase = fc
  .record({
    outcome: fc.constantFrom(PASSED, SECOND, FAILED),
    attempts: fc.integer({ min: 1, max: 8 }),
    cost_usd: fc.double({ min: 0, max: 2, noNaN: true }),
  })
  .map(({ outcome, attempts, cost_usd }) => ({ ...outcome, attempts, cost_usd }));
const anyCases = fc.array(anyCase, { minLength: 1, maxLength: 8 }).map((some) => cases(...some));

test("the cost of a level is the mean of its cases", () => {
  expect(summaryOf(cases({ ...PASSED, cost_usd: 1 }, { ...PASSED, cost_usd: 2 })).mean_cost_usd).toBe(1.5);
  expect(summaryOf([]).mean_cost_usd).toBe(0);
});

describe("[CRI-159] a result that is worse than an earlier one", () => {
  test("fewer cases pass: the lost ones are named", () => {
    expect(regressionsIn(cases(PASSED, SECOND), cases(PASSED, FAILED))).toEqual(["1 of 2 cases pass, before 2; no longer: micro/1"]);
  });

  test("fewer cases pass at the first attempt", () => {
    expect(regressionsIn(cases(PASSED, PASSED, PASSED, PASSED, PASSED), cases(PASSED, PASSED, PASSED, PASSED, SECOND))).toEqual([
      "80 % pass at the first attempt, before 100 %",
    ]);
  });

  test("attempts and cost may grow to the stated ratio, and not above it", () => {
    const before = cases({ ...SECOND, attempts: 4 }, { ...SECOND, attempts: 4 });
    expect(regressionsIn(before, cases({ ...SECOND, attempts: 5 }, { ...SECOND, attempts: 5 }))).toEqual([]);
    expect(regressionsIn(before, cases({ ...SECOND, attempts: 5 }, { ...SECOND, attempts: 6 }))).toEqual(["11 attempts, before 8"]);
    const dearer = (ratio: number) => regressionsIn(cases(PASSED), cases({ ...PASSED, cost_usd: PASSED.cost_usd * ratio }));
    expect(dearer(WORSE_RATIO)).toEqual([]);
    expect(dearer(WORSE_RATIO + 0.25)).toEqual(["$0.15 a case, before $0.10"]);
  });

  test("a cost that was not known before is no regression", () => {
    expect(regressionsIn(cases({ ...PASSED, cost_usd: 0 }), cases(PASSED))).toEqual([]);
  });

  test("is never worse than itself", () => {
    fc.assert(fc.property(anyCases, (some) => regressionsIn(some, some).length === 0));
  });
});

describe("[CRI-197] a candidate beside the current model", () => {
  const judge = (current: readonly CaseResult[], candidate: readonly CaseResult[]) =>
    judgeCandidate(cases(...current), cases(...candidate));

  test.each([
    ["fewer cases", [PASSED, PASSED], [PASSED, FAILED], "keep", "the candidate passes 1 of 2 cases, the current model 2"],
    [
      "more cases",
      [PASSED, FAILED],
      [SECOND, SECOND],
      "adopt",
      "the candidate passes 2 of 2 cases, the current model 1; $0.10 instead of $0.10 a case",
    ],
    ["fewer first attempts", [PASSED], [SECOND], "keep", "both pass 1 of 1 cases, but 0 % instead of 100 % at the first attempt"],
    ["a higher price", [SECOND], [{ ...PASSED, cost_usd: 1 }], "keep", "both pass 1 of 1 cases, but $1.00 instead of $0.10 a case"],
    [
      "more first attempts",
      [SECOND],
      [PASSED],
      "adopt",
      "both pass 1 of 1 cases; 100 % instead of 0 % at the first attempt; $0.10 instead of $0.10 a case",
    ],
    ["a lower price", [PASSED], [{ ...PASSED, cost_usd: 0.05 }], "adopt", "both pass 1 of 1 cases; $0.05 instead of $0.10 a case"],
    ["no difference", [PASSED], [PASSED], "keep", "both pass 1 of 1 cases, and no benefit was measured"],
  ] as const)("with %s", (_what, current, candidate, recommendation, reason) => {
    expect(judge(current, candidate)).toEqual({ recommendation, reason });
  });

  test("is never adopted if it passes fewer cases, and never both ways", () => {
    fc.assert(
      fc.property(anyCases, anyCases, (one, other) => {
        const there = judgeCandidate(one, other).recommendation;
        if (summaryOf(other).passed < summaryOf(one).passed) expect(there).toBe("keep");
        if (there === "adopt") expect(judgeCandidate(other, one).recommendation).toBe("keep");
      }),
    );
  });
});
