import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertPhase, earliestPhase, RETRY_PHASES, RETRY_STATUS, retryText, type RetryFacts } from "./retry-rules.ts";
import { TRANSITIONS } from "../feature/status.ts";

const ALL_KEPT: RetryFacts = { plan: 2, tree: "383d573bfe0000", missingModes: [], untested: 0 };

const anyFacts = fc.record({
  plan: fc.option(fc.integer({ min: 1, max: 9 })),
  tree: fc.option(fc.constant("383d573bfe0000")),
  missingModes: fc.subarray(["fast", "full"]),
  untested: fc.nat({ max: 3 }),
});

test.each([
  [{ ...ALL_KEPT, plan: null }, "plan"],
  [{ ...ALL_KEPT, plan: null, tree: null }, "plan"],
  [{ ...ALL_KEPT, tree: null }, "build"],
  [{ ...ALL_KEPT, missingModes: ["full"] }, "gates"],
  [{ ...ALL_KEPT, untested: 1 }, "gates"],
  [ALL_KEPT, "land"],
] as const)("%j continues from %s", (facts, from) => expect(earliestPhase(facts)).toBe(from));

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

test("more valid results never make it begin earlier", () => {
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

describe("retryText", () => {
  test.each([
    [ALL_KEPT, "gates", "keeps plan 2 and tree 383d573bfe; runs the gates again"],
    [ALL_KEPT, "plan", "plans again; plan 2 and tree 383d573bfe stay reachable"],
    [{ ...ALL_KEPT, tree: null }, "plan", "plans again; plan 2 stays reachable"],
    [{ ...ALL_KEPT, plan: null, tree: null }, "plan", "keeps nothing; plans again"],
    [ALL_KEPT, "build", "keeps plan 2; builds again on tree 383d573bfe"],
    [{ ...ALL_KEPT, tree: null }, "build", "keeps plan 2; builds again"],
    [ALL_KEPT, "land", "keeps plan 2, tree 383d573bfe and its gate results; asks for the approval again and lands"],
  ] as const)("%j from %s", (facts, from, text) => expect(retryText(facts, from)).toBe(text));
});
