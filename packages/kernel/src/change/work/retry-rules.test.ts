import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertPhase, earliestPhase, RETRY_PHASES, RETRY_STATUS, retryText, type RetryFacts } from "./retry-rules.ts";
import { TRANSITIONS } from "../feature/status.ts";

const STANDS: RetryFacts = { plan: 2, tree: "383d573bfe0000", missingModes: [], untested: 0 };

const anyFacts = fc.record({
  plan: fc.option(fc.integer({ min: 1, max: 9 })),
  tree: fc.option(fc.constant("383d573bfe0000")),
  missingModes: fc.subarray(["fast", "full"]),
  untested: fc.nat({ max: 3 }),
});

test.each([
  [{ ...STANDS, plan: null }, "plan"],
  [{ ...STANDS, plan: null, tree: null }, "plan"],
  [{ ...STANDS, tree: null }, "build"],
  [{ ...STANDS, missingModes: ["full"] }, "gates"],
  [{ ...STANDS, untested: 1 }, "gates"],
  [STANDS, "land"],
] as const)("%j goes on from %s", (facts, from) => expect(earliestPhase(facts)).toBe(from));

test("every phase up to the earliest may be chosen, and none after it", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const last = RETRY_PHASES.indexOf(earliestPhase(facts));
      for (const [index, phase] of RETRY_PHASES.entries()) {
        if (index <= last) assertPhase("f1", phase, facts);
        else expect(() => assertPhase("f1", phase, facts)).toThrow(`"f1" cannot be retried from ${phase}: `);
      }
    }),
  );
});

test("more that stands never makes it begin earlier", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const place = (with_: Partial<RetryFacts>) => RETRY_PHASES.indexOf(earliestPhase({ ...facts, ...with_ }));
      for (const more of [{ plan: 1 }, { tree: "t" }, { missingModes: [] }, { untested: 0 }])
        expect(place(more)).toBeGreaterThanOrEqual(place({}));
    }),
  );
});

test("each phase begins in a status that a retry may give", () => {
  for (const phase of RETRY_PHASES) expect(TRANSITIONS.failed).toContain(RETRY_STATUS[phase]);
});

describe("in words", () => {
  test.each([
    [STANDS, "gates", "plan 2 stands, tree 383d573bfe stands; gates run again"],
    [STANDS, "plan", "planned again; plan 2 and tree 383d573bfe stay reachable"],
    [{ ...STANDS, tree: null }, "plan", "planned again; plan 2 stays reachable"],
    [{ ...STANDS, plan: null, tree: null }, "plan", "nothing stands; planned again"],
    [STANDS, "build", "plan 2 stands; built again on tree 383d573bfe"],
    [{ ...STANDS, tree: null }, "build", "plan 2 stands; built again"],
    [STANDS, "land", "plan 2 stands, tree 383d573bfe stands, its gates stand; lands, and the approval is asked again"],
  ] as const)("%j from %s", (facts, from, text) => expect(retryText(facts, from)).toBe(text));
});
