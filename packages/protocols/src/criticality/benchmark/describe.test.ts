import { describe, expect, test } from "vitest";
import type { MeasuredLevel, MeasuredResult } from "./benchmark.ts";
import { describeBenchmark } from "./describe.ts";
import type { CaseResult, ResultSummary } from "./result.ts";

const CASE = {
  case: "clamp",
  passed: true,
  tier: "worker",
  reason: null,
  attempts: 1,
  functions: 1,
  tokens_in: 10,
  tokens_out: 5,
  cost_usd: 0.01,
  duration_ms: 1_000,
} as unknown as CaseResult;
const SUMMARY = {
  passed: 1,
  cases: 1,
  first_pass_rate: 1,
  attempts: 1,
  mean_cost_usd: 0.01,
  duration_ms: 1_000,
} as unknown as ResultSummary;
const LEVEL = { level: "micro", suite: "1", summary: SUMMARY, cases: [CASE], before: null, regressions: [] } as unknown as MeasuredLevel;

function told(of: Partial<MeasuredResult>) {
  return describeBenchmark({ levels: [LEVEL], substitutes: [], candidate: null, ...of } as unknown as MeasuredResult);
}

describe("[CRI-159] the result of a benchmark", () => {
  test("has a line for each level and case", () => {
    const { done, lines, code } = told({});
    expect([done, code]).toEqual([true, undefined]);
    expect(lines[0]).toMatch(/^micro \(suite 1\): 1 of 1 cases pass, 100 % at the first attempt/);
    expect(lines[1]).toMatch(/^ {2}passed clamp \(worker\): 1 attempt at 1 function,/);
  });

  test("says why a case failed", () => {
    const failed = { ...CASE, passed: false, attempts: 2, functions: 3, reason: "hidden\ntests" } as CaseResult;
    expect(told({ levels: [{ ...LEVEL, cases: [failed] }] }).lines[1]).toMatch(/^ {2}FAILED clamp: hidden .*; 2 attempts at 3 functions,/);
    expect(told({ levels: [{ ...LEVEL, cases: [{ ...failed, reason: null }] }] }).lines[1]).toContain("FAILED clamp: ;");
  });

  test("names a regression, which has an exit code of its own, or says that it is not worse", () => {
    const worse = told({ levels: [{ ...LEVEL, before: "2026-11-17", regressions: ["fewer cases pass"] }] });
    expect(worse.code).toBe(4);
    expect(worse.lines).toContain("  REGRESSION since 2026-11-17: fewer cases pass");
    expect(told({ levels: [{ ...LEVEL, before: "2026-11-17" }] }).lines).toContain("  not worse than 2026-11-17");
  });

  test("is not stored if another model answered than the assigned one", () => {
    const { done, lines } = told({ substitutes: ["worker: b"] });
    expect(done).toBe(false);
    expect(lines.at(-1)).toContain("Nothing is stored");
  });

  const candidate = (more: object) =>
    ({
      role: "worker",
      model: "b",
      current: { worker: "a" },
      measured: { current: SUMMARY, candidate: SUMMARY },
      recommendation: "adopt",
      reason: "more cases pass",
      change: 'worker = "b"',
      ...more,
    }) as unknown as MeasuredResult["candidate"];

  test("[CRI-197] recommends to adopt a candidate or to keep the current model, and what to write", () => {
    expect(told({ candidate: candidate({}) }).lines.slice(-2)).toEqual([
      "Recommendation: adopt b as worker: more cases pass.",
      'To adopt it, write worker = "b"',
    ]);
    expect(told({ candidate: candidate({ recommendation: "keep" }) }).lines.at(-2)).toBe(
      "Recommendation: keep a as worker: more cases pass.",
    );
    const unassigned = told({ candidate: candidate({ recommendation: "keep", current: {} }) }).lines;
    expect(unassigned.at(-4)).toContain("worker, now not assigned");
    expect(unassigned.at(-2)).toContain("keep it as worker");
  });
});
