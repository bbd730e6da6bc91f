import type { TestRun } from "@slipway/languages/typescript/test-run";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { effectiveVerdict } from "./debate/challenge.ts";
import { judgeWitness, standingObjections, type Witnessed } from "./debate/witness.ts";
import { APPROVE, challengeOf, codeOf, contractOf, proposalOf } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, type Script, type Workshop } from "./testing/workshop.ts";

let services: Workshop | null = null;
afterEach(async () => {
  await services?.close();
  services = null;
});
afterAll(() => language.close());

const witness = (body: string, head = "") => ({
  name: "as the contract says",
  source: `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { twice, NegativeError } from "../implementation/index.ts";\n${head}test("checked", () => { ${body} });\nvoid NegativeError;\n`,
});
const objection = (change: object = {}) => ({
  invariant: "inputs: not negative",
  evidence: "minus one may be accepted",
  required_change: "refuse it",
  ...change,
});
const failing = (...failures: object[]) => challengeOf({ R3: "negative numbers may get through without an error" }, failures);
const REFUSED = witness("assert.throws(() => twice(-1), NegativeError)");

async function run(script: Script) {
  services = await openWorkshop({ ...ONE_MODULE, proposer: [proposalOf()], challenger: [challengeOf()], arbiter: [APPROVE], ...script });
  return services.run();
}
const heard = (round: number) =>
  services!.kept.rounds.find((one) => one.round === round && one.file === "witnesses.json")?.body as Witnessed[];
const routes = async () => (await services!.steps()).flatMap((step) => /\/route:(.*)$/.exec(step)?.[1] ?? []);

describe("a witness runs before any decision", () => {
  test("if it passes, the objection is refuted: nothing is revised, and the Arbiter sees it", async () => {
    expect((await run({ challenger: [failing(objection({ witness: REFUSED }))] })).status).toBe("SHIPPED");
    expect(heard(1)).toEqual([
      { failure_index: 0, standing: "refuted", report: expect.stringContaining('"as the contract says" was run and passes: checked') },
    ]);
    expect(await routes()).toEqual(["1:adjudicate", "1:ship"]);
    const arbiter = services!.asked.find(({ role }) => role === "arbiter")!.sections();
    expect(JSON.parse(arbiter["what became of each objection"]!)).toEqual(heard(1));
    const steps = await services!.steps();
    expect(steps.indexOf("MM-twice/witnesses.json:1")).toBeLessThan(steps.indexOf("MM-twice/adjudicate:1"));
  });

  test("if it fails, the objection is upheld; the Proposer gets it, and it runs again until it passes", async () => {
    const careless = (condition: string) => proposalOf(contractOf(), { "implementation/index.ts": codeOf().replace("n < 0", condition) });
    const half = witness("assert.throws(() => twice(-0.5), NegativeError)");
    const result = await run({
      proposer: [careless("n <= -1"), careless("n < -0.7"), proposalOf()],
      challenger: [failing(objection({ witness: half })), challengeOf()],
    });
    expect(result.status).toBe("SHIPPED");
    expect(heard(1)).toEqual([{ failure_index: 0, standing: "upheld", report: expect.stringContaining("Missing expected exception") }]);
    expect(await routes()).toEqual(["1:revise", "2:revise", "3:adjudicate", "3:ship"]);
    const told = services!.asked.filter(({ role }) => role === "proposer").map((one) => one.sections()["results"]!);
    expect(JSON.parse(told[1]!)).toMatchObject([{ witness: half }]);
    // The Challenger had no further objection; the harness had.
    expect(told[2]).toContain("still stands");
    expect(heard(2)[0]).toMatchObject({ standing: "fact" });
  });

  test("an objection about behaviour without a usable witness is an opinion; one about a document needs none", async () => {
    const challenge = failing(
      objection(),
      objection({ concerns: "document", evidence: "the example is hard to follow" }),
      objection({ witness: witness("", `import { readFileSync } from "node:fs";\nvoid readFileSync;\n`) }),
      objection({ witness: witness("assert.fail()") }),
      objection({ witness: witness("(missing as unknown as () => void)();", "declare const missing: unknown;\n") }),
    );
    await run({ challenger: [challenge, challengeOf()] });
    expect(heard(1).map(({ standing }) => standing)).toEqual(["opinion", "document", "opinion", "opinion", "opinion"]);
    expect(heard(1).map(({ report }) => report)).toEqual([
      "no witness was given",
      "about what is written",
      '"as the contract says" was not run: it imports node:fs',
      '"as the contract says" shows nothing: it ends alike with nothing in the module',
      expect.stringContaining('shows nothing: "checked" fails by itself: ReferenceError'),
    ]);
    expect(await routes()).toEqual(["1:revise", "2:adjudicate", "2:ship"]);
  });
});

describe("results of a run", () => {
  const ran = (result: "PASS" | "FAIL", by: "check" | "code" | "test" = "check"): TestRun => ({
    tests: [{ name: "t", result, duration_ms: 1, error: result === "PASS" ? null : { name: "E", message: "m", by } }],
    skipped: [],
    broken: null,
  });
  const nothing: TestRun = { tests: [], skipped: [], broken: null };

  test.each([
    ["passes", ran("PASS"), ran("FAIL"), "refuted"],
    ["fails by a check", ran("FAIL"), ran("PASS"), "upheld"],
    ["fails in the code", ran("FAIL", "code"), ran("PASS"), "upheld"],
    ["fails in itself", ran("FAIL", "test"), ran("PASS"), "opinion"],
    ["says the same of nothing", ran("FAIL"), ran("FAIL"), "opinion"],
    ["has no test", nothing, nothing, "opinion"],
    ["did not end", { ...ran("PASS"), broken: "the tests did not end in time" }, nothing, "opinion"],
  ] as const)("one that %s", (_, run1, empty, standing) => expect(judgeWitness("w", run1, empty).standing).toBe(standing));

  test("it is a FAIL while an objection is upheld", () => {
    const failures = [objection(), objection()];
    const as = (...standings: Witnessed["standing"][]) =>
      standings.map((standing, failure_index) => ({ failure_index, standing, report: "" }));
    expect(effectiveVerdict({ verdict: "FAIL", failures }, as("refuted", "refuted"))).toBe("PASS");
    expect(effectiveVerdict({ verdict: "FAIL", failures }, as("refuted", "opinion"))).toBe("FAIL");
    expect(effectiveVerdict({ verdict: "PASS", failures: [] }, [])).toBe("PASS");
    expect(standingObjections(failures, as("refuted", "upheld"))).toEqual([failures[1]]);
  });
});
