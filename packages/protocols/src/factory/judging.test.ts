import type { Contract } from "@slipway/languages/contracts/schema";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Challenge } from "./engineering/debate/schemas.ts";
import { DECOMPOSITION_RUBRIC } from "./engineering/debate/rubric.ts";
import { challengeOf, codeOf, COVERAGE, planOf, proposalOf, REJECT, testsOf } from "./engineering/testing/modules.ts";
import { approved } from "./testing/approved.ts";
import { deliver, OBJECTION, PASS } from "./testing/numbers.ts";
import { language, type Parts, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

type Shown = Record<string, string>;

/** A valid value with these fields replaced. */
const delivering =
  (files: Record<string, string>, change: object = {}) =>
  (shown: Shown) => {
    const { acceptance_checks } = deliver(shown);
    return proposalOf(JSON.parse(shown["module contract"]!) as Contract, files, { acceptance_checks, ...change });
  };
const INSIDE = {
  "implementation/part.ts": "export const part = () => 0;\n",
  "tests/module.test.ts": `import { part } from "../implementation/part.ts";\n${testsOf()}test("inside", () => assert.equal(part(), twice(0)));\n`,
};

/** Three rounds about one module, which end with a question; as they were judged. */
async function rounds(parts: Parts): Promise<Challenge[]> {
  const begun = await approved({ ...parts, arbiter: [REJECT] });
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ status: "waiting" });
  expect((await works.question()).kind).toBe("escalation");
  expect(works.files("modules")).toEqual([]);
  const files = works.files("debates").filter((path) => path.endsWith("challenge.json"));
  return files.map((path) => JSON.parse(works.file(`debates/${path}`)!) as Challenge);
}
const notMet = ({ rubric_assessments }: Challenge) =>
  rubric_assessments.filter(({ assessment }) => assessment === "NOT_MET").map(({ criterion }) => criterion);
const evidence = ({ failures }: Challenge) => failures.map((failure) => failure.evidence);
const shown = (role: string, turn: number) => works.asked.filter((one) => one.role === role)[turn]!.sections();

/** The same challenge, with R1 met on this evidence. */
const onFirst = <T extends ReturnType<typeof challengeOf>>(challenge: T, words: string): T => ({
  ...challenge,
  rubric_assessments: challenge.rubric_assessments.map((one) => (one.criterion === "R1" ? { ...one, evidence: words } : one)),
});

describe("the criteria of a module", () => {
  test("[FAC-119] R1 is not met while a dimension is not verified, R2 while a test is missing or uses internals, R3 while an error is missing or undeclared", async () => {
    const half = "inputs (n), outputs (double) and error surfaces agree with the contract";
    const undeclared = codeOf().replace("return", 'if (n > 99) throw new RangeError("too large");\n  return');
    const judged = await rounds({
      proposer: [
        delivering({}, { coverage: COVERAGE.filter(({ category }) => category !== "error surface") }),
        delivering({ "implementation/index.ts": undeclared }),
        delivering({ ...INSIDE, "implementation/index.ts": codeOf().replace(/\n {2}if .*/, "") }),
      ],
      // A FAIL that omits dimensions keeps its objections, a PASS that does is sent back.
      challenger: [onFirst(challengeOf({ R6: "it does two things at once here" }, [OBJECTION]), half), onFirst(PASS, half), PASS],
    });
    expect(shown("challenger", 2)["results"]).toBe("/rubric_assessments (R1): says nothing about effects, modes");
    expect(judged.map(({ verdict }) => verdict)).toEqual(["FAIL", "FAIL", "FAIL"]);
    const [first, second, third] = judged as [Challenge, Challenge, Challenge];
    expect(notMet(first)).toEqual(["R1", "R2", "R6"]);
    expect(first.rubric_assessments[0]?.evidence).toBe(`says nothing about effects, modes: ${half}`);
    expect(evidence(first)).toEqual([OBJECTION.evidence, "no test for error surface: NegativeError (n is negative)"]);

    expect(notMet(second)).toEqual(["R1", "R3"]);
    expect(evidence(second)).toContain("error_surfaces: RangeError is not in the contract");

    expect(notMet(third)).toEqual(["R1", "R2", "R3"]);
    expect(evidence(third)).toContain("error_surfaces: NegativeError is missing");
    expect(evidence(third)).toContain("tests/module.test.ts imports ../implementation/part.ts");
  });

  test("[FAC-144] a leaf that is no micro module fails: by the plan, by the harness, or by the Challenger, who gets every point", async () => {
    const plan = planOf(["MM-twice"]);
    const vague = { ...plan, contracts: plan.contracts.map((contract) => ({ ...contract, inputs: [] })) };
    const second = `${codeOf()}export function thrice(n: number): number {\n  return n * 3;\n}\n`;
    const reaching = `${codeOf()}export type {} from "#MM-other";\n`;
    const two = challengeOf({ R6: "doubling and refusing are two behaviours in one module" }, [OBJECTION]);
    const judged = await rounds({
      planner: [vague, plan],
      proposer: [
        delivering({ "implementation/index.ts": second }),
        deliver,
        delivering({ ...INSIDE, "implementation/index.ts": reaching }),
      ],
      challenger: [PASS, { ...two, verdict: "PASS", failures: [] }, two, PASS],
    });
    expect(shown("planner", 1)["results"]).toBe("/contracts/0/inputs: is empty");
    expect(shown("challenger", 2)["results"]).toBe("/verdict: PASS although R6 is NOT_MET");
    expect(judged.map(({ verdict }) => verdict)).toEqual(["FAIL", "FAIL", "FAIL"]);
    const [surfaces, behaviours, alone] = judged as [Challenge, Challenge, Challenge];
    expect(evidence(surfaces).join()).toContain("thrice is not in the contract");
    expect(notMet(behaviours)).toEqual(["R6"]);
    expect(evidence(alone)).toContain("implementation/index.ts imports #MM-other");
    expect(evidence(alone)).toContain("tests/module.test.ts imports ../implementation/part.ts");
    for (const text of [shown("planner", 0)["what counts as a micro module"]!, shown("challenger", 0)["decomposition rubric"]!]) {
      expect(text.split("\n")).toEqual(DECOMPOSITION_RUBRIC.map((point) => `- ${point}`));
      for (const point of [
        /one sentence/,
        /inputs, outputs and errors/,
        /at most one public/,
        /ships independently/,
        /only through their con/,
      ])
        expect(text).toMatch(point);
    }
  });
});
