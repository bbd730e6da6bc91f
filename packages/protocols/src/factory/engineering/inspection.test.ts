import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { afterAll, describe, expect, test } from "vitest";
import type { ModuleBrief } from "./brief.ts";
import { withFindings } from "./debate/challenge.ts";
import { challengeAnswerSchema } from "./debate/schemas.ts";
import { deliverableOf } from "./deliverable.ts";
import { inspect } from "./inspection.ts";
import type { ShippedModule } from "./ports.ts";
import {
  challengeOf,
  CHECKS,
  codeOf,
  contractOf,
  COVERAGE,
  CRITERIA,
  examplesOf,
  plannedModule,
  proposalOf,
  testsOf,
} from "./testing/modules.ts";
import { rememberingReader, rememberingSandbox } from "./testing/remembering.ts";

const language = rememberingReader();
afterAll(() => language.close());

const contract = contractOf();
const brief: ModuleBrief = {
  module: plannedModule("MM-twice"),
  contract,
  fingerprint: fingerprintOf(contract),
  contractRef: "CTR-00000000@1.0.0",
  dependencies: [],
  closure: [],
};
const kernel = { sandbox: rememberingSandbox, clock: { now: () => 0 } } as unknown as Parameters<typeof inspect>[0]["kernel"];

async function found(files: Record<string, string | null>, change: object = {}, about: ModuleBrief = brief) {
  const { files: all, acceptance_checks, coverage } = { ...proposalOf(contract, files), ...change } as ReturnType<typeof proposalOf>;
  const inspected = { files: deliverableOf(all), acceptance_checks, coverage: coverage as never };
  return inspect({ language, kernel }, about, inspected, CRITERIA);
}
const lines = async (...given: Parameters<typeof found>) =>
  (await found(...given)).findings.map(({ criterion, evidence }) => `${criterion} ${evidence}`);
const withTest = (text: string) => ({ "tests/module.test.ts": `${testsOf()}${text}` });

describe("findings of the harness", () => {
  test("none in a correct proposal; its test summary has names and results only", async () => {
    const inspection = await found({});
    expect(inspection.findings).toEqual([]);
    expect(inspection.mismatch).toBeNull();
    expect(inspection.summary).toEqual(
      ["doubles", "whole numbers become even", "refuses a negative number"].map((name) => ({ name, result: "PASS" })),
    );
    expect(inspection.log?.summary).toEqual({ total: 3, passed: 3, failed: 0 });
  });

  test.each([
    ["an error surface", { ...COVERAGE[2], test: "no such test" }, 2, "R2 no test for error surface: NegativeError (n is negative)"],
    ["an input constraint", undefined, 0, "R2 no test for input constraint: n: not negative"],
    ["an output invariant", undefined, 1, "R2 no test for output invariant: double: even for whole numbers"],
    ["the purpose", undefined, 3, "R2 no test for purpose: the purpose, from input to output"],
  ])("[FAC-081] no test for %s", async (_, instead, index, expected) => {
    const coverage = COVERAGE.flatMap((one, at) => (at === index ? (instead === undefined ? [] : [instead]) : [one]));
    expect(await lines({}, { coverage })).toEqual([expected]);
  });

  test("[FAC-081] tests that use internals", async () => {
    const inside = withTest(
      `import { helper } from "../implementation/helper.ts";\ntest("inside", () => assert.equal(helper(), twice(0)));\n`,
    );
    expect(await lines({ ...inside, "implementation/helper.ts": "export const helper = () => 0;" })).toEqual([
      "R2 tests/module.test.ts imports ../implementation/helper.ts",
    ]);
  });

  test.each<[string, Record<string, string | null>, string[]]>([
    [
      "no tests at all",
      { "tests/module.test.ts": null },
      [
        "R2 no test was run",
        ...COVERAGE.map(() => expect.stringContaining("R2 no test for")),
        ...CRITERIA.map((criterion) => `R5 no acceptance check names a test for: ${criterion}`),
      ],
    ],
    [
      "a test without a check",
      withTest(`test("looks good", () => console.log(twice));\n`),
      ['R2 "looks good" passes with nothing in the module'],
    ],
    ["a skipped test", withTest(`test.skip("later", () => {});\n`), ['R2 "later" is declared but not run']],
    [
      "a test that fails",
      withTest(`test("wrong", () => assert.equal(twice(1), 3));\n`),
      [expect.stringMatching(/^R2 "wrong" fails: AssertionError: /)],
    ],
    [
      "a package",
      { "implementation/index.ts": `// @ts-expect-error it is not there\nimport type {} from "left-pad";\n${codeOf()}` },
      ["R4 implementation/index.ts imports left-pad"],
    ],
    [
      "an undeclared module",
      { "implementation/index.ts": `${codeOf()}export type {} from "#MM-other";\n` },
      ["R4 implementation/index.ts imports #MM-other"],
    ],
    [
      "code that does not compile",
      { "implementation/index.ts": codeOf().replace("n * 2", "n.twice") },
      [
        expect.stringContaining("R1 implementation/index.ts:5: Property 'twice'"),
        ...Array.from({ length: 2 }, () => expect.stringContaining("R2")),
      ],
    ],
    ["no contract", { "contract.json": null }, ["R1 contract.json is missing"]],
    ["an invalid contract", { "contract.json": "{" }, [expect.stringContaining("R1 contract.json is not valid JSON")]],
    [
      "a contract with a missing field",
      { "contract.json": JSON.stringify({ ...contract, effects: undefined }) },
      [expect.stringContaining("R1 contract.json: /effects: missing")],
    ],
    [
      "another module's contract",
      { "contract.json": JSON.stringify({ ...contract, module_version: "2.0.0" }) },
      ["R1 contract.json is about MM-twice@2.0.0, and the module is MM-twice@1.0.0"],
    ],
  ])("%s", async (_, files, expected) => expect(await lines(files)).toEqual(expected));

  test("[FAC-158] no examples, or incomplete ones", async () => {
    expect(await lines({ "examples.md": null })).toEqual(["R1 examples.md is missing"]);
    const cut = examplesOf().slice(0, examplesOf().indexOf("## NegativeError"));
    expect(await lines({ "examples.md": cut })).toEqual([
      "R1 examples.md has no example for the error surface NegativeError, with input and expected error in code blocks",
    ]);
  });

  test("[FAC-121] a criterion without a check that covers it; then R5 is not met, whatever the Challenger says", async () => {
    const bare = ["A number is doubled.", CHECKS[1]];
    const { findings } = await found({}, { acceptance_checks: bare });
    const evidence = "no acceptance check names a test for: A number is doubled.";
    expect(findings.map(({ criterion, evidence: said }) => `${criterion} ${said}`)).toEqual([`R5 ${evidence}`]);
    const { verdict, rubric_assessments } = withFindings(challengeAnswerSchema.parse(challengeOf()), findings);
    expect(verdict).toBe("FAIL");
    expect(rubric_assessments.filter(({ assessment }) => assessment === "NOT_MET")).toEqual([
      { criterion: "R5", assessment: "NOT_MET", evidence: `found by the harness: ${evidence}` },
    ]);
  });

  test.each([
    ["a claim", "A number is doubled, trust me."],
    ["a test that there is not", "A number is doubled. Test: gives twice the number"],
    ["a part of a test's name", "A number is doubled. Test: refuses"],
  ])("[FAC-121] a criterion that is backed only by %s", async (_, check) => {
    expect(await lines({}, { acceptance_checks: [check, CHECKS[1]] })).toEqual([
      "R5 no acceptance check names a test for: A number is doubled.",
    ]);
  });

  test("a surface that differs from the locked one, by dimension, in the code or in the delivered contract", async () => {
    const inCode = await found({ "implementation/index.ts": codeOf().replace("n: number", "n: number, times?: number") });
    expect(inCode.mismatch).toMatchObject({ locked: brief.fingerprint, diff: [{ dimension: "inputs", added: ["times"] }] });
    expect(inCode.findings[0]?.evidence).toBe(
      `Interface fingerprint mismatch: expected ${brief.fingerprint}, got ${inCode.mismatch!.actual}\ninputs: times is not in the contract`,
    );
    const written = { ...contract, modes: { sync: true, async: false, notes: "quick" } };
    const inContract = await found({ "contract.json": JSON.stringify(written) });
    expect(inContract.mismatch).toMatchObject({
      actual: fingerprintOf(written),
      diff: [{ dimension: "modes", changed: [{ name: "notes" }] }],
    });
  });

  test("[FAC-120] a dependency that differs from its shipped version", async () => {
    const half = contractOf("MM-half", "half");
    const shipped = {
      module_id: "MM-half",
      version: "1.0.0",
      contract: half,
      examples: "",
      depends_on: [],
      sources: { "implementation/index.ts": codeOf("half") },
    };
    const at = (interface_fingerprint: string) =>
      ({ ...shipped, ship: { verification: { interface_fingerprint } } }) as unknown as ShippedModule;
    const needing = { ...contract, dependencies: [{ ref: "MM-half@1.0.0", why: "it halves" }] };
    const about = (dependency: ShippedModule): ModuleBrief => ({
      ...brief,
      contract: needing,
      dependencies: [dependency],
      closure: [dependency],
    });
    const files = {
      "contract.json": JSON.stringify(needing),
      "implementation/index.ts": `import { half } from "#MM-half";\nvoid half;\n${codeOf()}`,
    };
    expect(await lines(files, {}, about(at(fingerprintOf(half))))).toEqual([]);
    expect(await lines(files, {}, about(at("0".repeat(64))))).toEqual(["R4 MM-half@1.0.0 is not at the fingerprint it was shipped with"]);
  });
});
