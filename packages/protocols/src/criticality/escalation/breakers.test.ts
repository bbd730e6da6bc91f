import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { structuralDefectReport, structuralDefectSchema, trippedBreaker, type FunctionRecord } from "./breakers.ts";

const RATES = { module_escalation_rate: 0.2, phase_failure_rate: 0.1 };

/** `total` functions of a module; the first ones escalated or failed. */
function functions(module: string, total: number, { escalated = 0, failed = 0 } = {}): FunctionRecord[] {
  return Array.from({ length: total }, (_, index) => ({
    id: `${module}#f${index}`,
    module,
    escalated: index < escalated,
    failed: index < failed,
    failureTypes: index < Math.max(escalated, failed) ? ["type", "test"] : [],
  }));
}

describe("rate breakers", () => {
  test("[CRI-065] more than 20 % escalated functions of one module trip; exactly 20 % do not", () => {
    expect(trippedBreaker(functions("a", 10, { escalated: 2 }), RATES)).toBeNull();
    expect(trippedBreaker(functions("a", 10, { escalated: 3 }), RATES)).toMatchObject({ condition: "module_escalation_rate", rate: 0.3 });
  });

  test("[CRI-065] the rate of a module is its own: others do not thin it out", () => {
    const mixed = [...functions("a", 100), ...functions("b", 3, { escalated: 1 })];
    expect(trippedBreaker(mixed, RATES)).toMatchObject({ modules: ["b"], functions: ["b#f0"] });
  });

  test("[CRI-065] more than 10 % failed functions of all trip; exactly 10 % do not", () => {
    expect(trippedBreaker(functions("a", 20, { failed: 2 }), RATES)).toBeNull();
    expect(trippedBreaker([...functions("a", 10, { failed: 2 }), ...functions("b", 9)], RATES)).toMatchObject({
      condition: "phase_failure_rate",
      rate: 2 / 19,
    });
  });

  test("[CRI-066] functions that were not tried yet count in the denominator", () => {
    const tried = functions("a", 4, { escalated: 1 });
    expect(trippedBreaker(tried, RATES)).not.toBeNull();
    expect(trippedBreaker([...tried, ...functions("a", 6).map((one) => ({ ...one, id: `${one.id}-later` }))], RATES)).toBeNull();
  });

  test("[CRI-065] exactly the limit never trips, one function more always does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (fifth) => {
        expect(trippedBreaker(functions("a", fifth * 5, { escalated: fifth }), RATES)).toBeNull();
        expect(trippedBreaker(functions("a", fifth * 5, { escalated: fifth + 1 }), RATES)).not.toBeNull();
        expect(trippedBreaker(functions("a", fifth * 10, { failed: fifth }), RATES)).toBeNull();
        expect(trippedBreaker(functions("a", fifth * 10, { failed: fifth + 1 }), RATES)).not.toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  test("a lattice without functions trips nothing", () => {
    expect(trippedBreaker([], RATES)).toBeNull();
  });
});

test("[CRI-012] a defect report has condition, rate, functions, modules and failure types, and no room for code", () => {
  const report = structuralDefectReport("coherence", null, [...functions("a", 1, { failed: 1 }), ...functions("b", 1, { failed: 1 })]);
  expect(report).toEqual({
    condition: "coherence",
    rate: null,
    functions: ["a#f0", "b#f0"],
    modules: ["a", "b"],
    failureTypes: ["type", "test"],
  });
  expect(structuralDefectSchema.parse(report)).toEqual(report);
  expect(structuralDefectSchema.safeParse({ ...report, code: "return 1" }).success).toBe(false);
});
