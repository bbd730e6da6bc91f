import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { unappliedAmendments, type Version } from "./debate/amendments.ts";
import { checkChallenge, mildReview } from "./debate/compliance.ts";
import { CRITERIA as RUBRIC_CRITERIA } from "./debate/rubric.ts";
import { afterAdjudication, afterChallenge, afterFailure, allowedDecisions, MAX_REVISIONS } from "./debate/rules.ts";
import { adjudicationSchema, challengeSchema, isVague, proposalSchema } from "./debate/schemas.ts";
import { APPROVE, challengeOf, contractOf, MET, REJECT } from "./testing/modules.ts";

const problemsOf = (schema: Parameters<typeof checkSchema>[0], value: unknown) => {
  const checked = checkSchema(schema, value);
  return checked.ok ? [] : checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
};
const IDS = { target_artifact_id: "IMPL-00000000" };

describe("routing", () => {
  test("[FAC-115] PASS is adjudicated, FAIL is revised while revisions are left", () => {
    expect([0, 1, 2].map((count) => afterChallenge("FAIL", count))).toEqual(["revise", "revise", "adjudicate"]);
    expect([0, 1, 2].map((count) => afterChallenge("PASS", count))).toEqual(["adjudicate", "adjudicate", "adjudicate"]);
  });

  test("[FAC-117] what an Arbiter may decide, and what follows", () => {
    expect(allowedDecisions("FAIL", MAX_REVISIONS)).toEqual(["APPROVE_WITH_AMENDMENTS", "REJECT"]);
    expect(allowedDecisions("PASS", MAX_REVISIONS)).toContain("APPROVE");
    expect(afterAdjudication("APPROVE", 2)).toBe("ship");
    expect(afterAdjudication("APPROVE_WITH_AMENDMENTS", 0)).toBe("amend");
    expect([0, 1, 2].map((count) => afterAdjudication("REJECT", count))).toEqual(["revise", "revise", "halt"]);
  });

  test("[FAC-116] a module is always revised at most twice, and challenged again each time", () => {
    const events = fc.array(fc.constantFrom("FAIL", "REJECT", "SHIP", "NONE"), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(events, (failures) => {
        let retries = 0;
        for (const failure of failures) {
          const next =
            failure === "FAIL"
              ? afterChallenge("FAIL", retries)
              : failure === "REJECT"
                ? afterAdjudication("REJECT", retries)
                : afterFailure(retries);
          if (next !== "revise") break;
          retries++;
        }
        expect(retries).toBeLessThanOrEqual(MAX_REVISIONS);
      }),
    );
  });
});

describe("the artifacts of a debate", () => {
  test("[FAC-110] a proposal", () => {
    const proposal = { proposal_id: "PROP-1", ...IDS, claim: "c", deliverable_ref: "IMPL-1@1.0.0", acceptance_checks: ["a"] };
    expect(problemsOf(proposalSchema, proposal)).toEqual([]);
    for (const field of Object.keys(proposal)) {
      const { [field as keyof typeof proposal]: _, ...rest } = proposal;
      expect(problemsOf(proposalSchema, rest), field).not.toEqual([]);
    }
    expect(problemsOf(proposalSchema, { ...proposal, acceptance_checks: [] })).not.toEqual([]);
  });

  test("[FAC-111] [FAC-118] a challenge has a binary verdict and each of the six criteria once", () => {
    const challenge = { challenge_id: "CHAL-1", ...IDS, ...challengeOf() };
    expect(problemsOf(challengeSchema, challenge)).toEqual([]);
    expect(problemsOf(challengeSchema, { ...challenge, optional_alternative_ref: "IMPL-2@1.0.0" })).toEqual([]);
    expect(problemsOf(challengeSchema, { ...challenge, verdict: "MAYBE" })).not.toEqual([]);
    expect(problemsOf(challengeSchema, { ...challenge, failures: [{ invariant: "x", evidence: "y" }] })).not.toEqual([]);
    const five = challenge.rubric_assessments.slice(1);
    expect(problemsOf(challengeSchema, { ...challenge, rubric_assessments: five })).toEqual([
      "/rubric_assessments must have exactly one entry for each of R1, R2, R3, R4, R5, R6",
    ]);
    expect(problemsOf(challengeSchema, { ...challenge, rubric_assessments: [...five, five[0]] })).toHaveLength(1);
    expect(problemsOf(challengeSchema, { ...challenge, ...challengeOf({ R4: "an import of another package" }), verdict: "PASS" })).toEqual([
      "/verdict cannot be PASS while a criterion is NOT_MET",
    ]);
  });

  test("[FAC-112] [FAC-113] [FAC-125] an adjudication is consistent", () => {
    const said = (change: object) => problemsOf(adjudicationSchema, { adjudication_id: "ADJ-1", ...IDS, ...APPROVE, ...change });
    const amendment = { action: "ADD", target: "tests/x.test.ts", detail: "a test that twice(0) is 0" };
    expect(said({})).toEqual([]);
    expect(said(REJECT)).toEqual([]);
    expect(said({ ...REJECT, ship_directive: "SHIP" })).toEqual(["/ship_directive must be NO_SHIP when the decision is REJECT"]);
    expect(said({ ship_directive: "NO_SHIP" })).toHaveLength(1);
    expect(said({ decision: "APPROVE_WITH_AMENDMENTS" })).toEqual(["/amendments must have at least one entry"]);
    expect(said({ decision: "APPROVE_WITH_AMENDMENTS", amendments: [amendment] })).toEqual([]);
    expect(said({ amendments: [amendment] })).toEqual(["/amendments must be empty when the decision is APPROVE"]);
    expect(said({ decision: "APPROVE_WITH_AMENDMENTS", amendments: [{ ...amendment, detail: "improve error handling" }] })).toEqual([
      "/amendments/0/detail is vague: say exactly what has to stand where",
    ]);
    expect(said({ decision: "APPROVE_WITH_AMENDMENTS", amendments: [{ ...amendment, action: "RENAME" }] })).not.toEqual([]);
    expect(said({ decision: "APPROVE_WITH_AMENDMENTS", amendments: [{ ...amendment, target: "" }] })).not.toEqual([]);
    expect(said({ rationale: " " })).not.toEqual([]);
  });

  test.each([
    "improve error handling",
    "clean up",
    "better tests",
    "handle edge cases more gracefully and robustly please",
    "more tests",
    "`x`",
  ])("[FAC-125] %j is vague", (detail) => {
    expect(isVague(detail)).toBe(true);
  });
  test.each([
    "throw a RangeError when n is above 1e308",
    "rename `half` to `halve`",
    "the message must end with a full stop as in the contract",
  ])("%j is not", (detail) => {
    expect(isVague(detail)).toBe(false);
  });
});

describe("[FAC-123] a mild review", () => {
  const citable = { contract: contractOf(), tests: ["doubles"] };
  const problems = (value: unknown) => {
    const checked = checkChallenge(value, citable);
    return checked.ok ? [] : checked.problems;
  };
  const evidence = (said: Partial<Record<keyof typeof MET, string>>) => {
    const challenge = challengeOf();
    return {
      ...challenge,
      rubric_assessments: challenge.rubric_assessments.map((one) => ({ ...one, evidence: said[one.criterion] ?? one.evidence })),
    };
  };

  test("is not one that cites tests, fields and behaviour for every criterion", () => {
    expect(problems(challengeOf())).toEqual([]);
    expect(
      problems(challengeOf({ R3: "infinity is not an error anybody declared" }, [{ invariant: "i", evidence: "e", required_change: "c" }])),
    ).toEqual([]);
  });

  test.each([
    ["evidence too short", evidence({ R4: "looks correct" }), "/rubric_assessments/3/evidence (R4): too short to be evidence"],
    [
      "long texts without content",
      evidence({ R2: "everything here looks really good and quite solid to me" }),
      "/rubric_assessments/1/evidence (R2): cites no test, no contract field and no behaviour by its name",
    ],
    [
      "missing dimensions",
      evidence({ R1: "the inputs and outputs agree with what the contract has" }),
      "/rubric_assessments (R1): says nothing about error surfaces, effects, modes",
    ],
    [
      "a PASS with failures",
      { ...challengeOf(), failures: [{ invariant: "n", evidence: "e", required_change: "c" }] },
      "/verdict: PASS although there are failures",
    ],
    ["a FAIL without failures", challengeOf({ R3: "some error may not be handled at all" }), "/failures: a FAIL says what has to change"],
    [
      "a missing criterion",
      { ...challengeOf(), rubric_assessments: [] },
      "/rubric_assessments: exactly one entry for each of R1, R2, R3, R4, R5, R6 is needed, found none",
    ],
    [
      "several not met",
      { ...challengeOf({ R2: "no test for the edge of numbers", R3: "no error for the edge of numbers" }), verdict: "PASS" },
      "/verdict: PASS although R2, R3 are NOT_MET",
    ],
    ["no object", "looks good, minor suggestions", '/: expected an object, found "looks good, minor suggestions"'],
  ])("is: %s", (_, value, problem) => expect(problems(value)).toContain(problem));

  test("becomes a FAIL that is a valid challenge, with its findings", () => {
    const broken = challengeOf({ R3: "no error for the edge of numbers" });
    const failed = mildReview(["too short"], broken as never);
    expect(problemsOf(challengeSchema, { challenge_id: "CHAL-1", ...IDS, ...failed })).toEqual([]);
    expect(failed.failures).toMatchObject([{ invariant: "mild_review_violation", evidence: "too short" }]);
    expect(failed.rubric_assessments.map(({ assessment }) => assessment)).toEqual(RUBRIC_CRITERIA.map(() => "NOT_MET"));
    expect(failed.rubric_assessments[2]?.evidence).toBe("no error for the edge of numbers");
    expect(mildReview([], null).rubric_assessments).toHaveLength(6);
  });
});

describe("[FAC-127] an amendment is checked", () => {
  const version = (files: Record<string, string>, elements: Record<string, string> = {}): Version => ({
    files,
    elements: new Map(Object.entries(elements)),
  });
  const before = version(
    { "contract.json": '{"purpose":"a","tags":["x"]}', "examples.md": "## One\ntext\n", "tests/a.test.ts": "1" },
    { parse: "function parse() { 1 }", "an empty text": 'test("an empty text")' },
  );
  const after = version(
    { "contract.json": '{"purpose":"b","tags":["x"]}', "examples.md": "## One\nother\n## Two\n", "tests/b.test.ts": "1" },
    { parse: "function parse() { 2 }", more: "const more = 1" },
  );
  const applied = [{ amendment_index: 0, applied: true, note: "" }];
  const left = (action: "MODIFY" | "ADD" | "REMOVE", target: string) =>
    unappliedAmendments([{ action, target, detail: "d" }], applied, before, after).map(({ problem }) => problem);

  test.each([
    ["MODIFY", "parse", []],
    ["MODIFY", "function parse()", []],
    ["MODIFY", "contract.json#/purpose", []],
    ["MODIFY", "contract.json#/tags/0", ['"contract.json#/tags/0" is unchanged']],
    ["MODIFY", "contract.json#/nothing", ['"contract.json#/nothing" is not there to be modified']],
    ["MODIFY", "One", []],
    ["MODIFY", "more", ['"more" is not there to be modified']],
    ["ADD", "more", []],
    ["ADD", "heading Two", []],
    ["ADD", "tests/b.test.ts", []],
    ["ADD", "missing", ['"missing" was not added']],
    ["REMOVE", "tests/a.test.ts", []],
    ["REMOVE", 'tests/a.test.ts: "an empty text"', []],
    ["REMOVE", "parse", ['"parse" is still there']],
  ] as const)("%s %s", (action, target, expected) => expect(left(action, target)).toEqual(expected));

  test("two records for one amendment count as none", () => {
    const [first] = applied;
    expect(unappliedAmendments([{ action: "ADD", target: "more", detail: "d" }], [first!, first!], before, after)).toMatchObject([
      { problem: "the Proposer gave 2 records for it" },
    ]);
  });
});
