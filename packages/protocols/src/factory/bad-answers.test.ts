import type { Contract } from "@slipway/languages/contracts/schema";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { planOf, proposalOf } from "./engineering/testing/modules.ts";
import { approved } from "./testing/approved.ts";
import { PARTS } from "./testing/numbers.ts";
import { language, openWorks, type Parts, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const raw = (text: string) => Buffer.from(text);

/** Outputs of models that are no answer. */
const NOISE: readonly unknown[] = [
  raw(""),
  raw("I would rather talk about the weather."),
  raw('{"modules": [{"module_id": "MM-a", '),
  raw("```json\n{}\n```\nand once more\n```json\n[]\n```"),
  raw('{"type": "PROPOSAL", "type": "AMENDED"}'),
  raw('{"__proto__": {"verdict": "PASS"}, "constructor": 1}'),
  raw(`${"[".repeat(20_000)}${"]".repeat(20_000)}`),
  raw(`"${"x".repeat(300_000)}"`),
  raw('{"verdict": "PASS\\u0000", "\\ud800": NaN}'),
  null,
  [],
  7,
  { calls: [] },
  { calls: "search" },
  { modules: {}, contracts: null, reuse_reports: 1 },
  { type: "PROPOSAL", claim: 1, files: [{ path: "../../escape", content: "x" }] },
  { verdict: "MAYBE", failures: "none", rubric_assessments: [] },
  { decision: "SHIP_IT", amendments: [], rationale: "", ship_directive: "SHIP" },
];

const invocations = (role: string) => works.asked.filter((one) => one.role === role).length;

/** Starts at every index of the list, so that each output occurs at every turn of some run. */
const turned = (start: number) => [...NOISE.slice(start), ...NOISE.slice(0, start)];

describe("a role without a valid answer", () => {
  test.each([0, 4, 8, 12])("product owner, from %i on: three rounds, then a person", async (start) => {
    works = await openWorks({ ...PARTS, "product-owner": turned(start) });
    expect(await works.drive()).toMatchObject({ status: "waiting" });
    const { kind, body } = await works.question();
    expect(kind).toBe("blocked");
    expect(body).toMatch(/The last round ended with agent_output_invalid: .*(JSON|calls)/s);
    expect(invocations("product-owner")).toBeLessThanOrEqual(9);
    expect(works.file("product/spec.json")).toBeNull();
  });

  test.each([
    ["planner", 9, "The planner gave no valid micro plan in three attempts", /micro plan|\/modules|\/: |gave no valid answer/],
    ["proposer", 9, "MM-twice@1.0.0 did not ship", /gave no valid answer/],
    ["challenger", 27, "MM-twice@1.0.0 did not ship", /mild review|rubric|valid answer/i],
    ["arbiter", 9, "MM-twice@1.0.0 did not ship", /gave no valid answer/],
  ])("the %s: at most %i invocations, then a halt with the reason, and nothing ships", async (role, most, decision, why) => {
    for (const start of role === "challenger" ? [0] : [0, 9]) {
      const begun = await approved({ challenger: [PARTS["challenger"]?.at(-1)], [role]: turned(start) });
      ({ works } = begun);
      expect(begun.outcome).toMatchObject({ status: "waiting" });
      const { kind, body, context } = await works.question();
      expect(kind).toBe("escalation");
      const said = `${body}\n${JSON.stringify(context)}`;
      expect(said).toContain(decision);
      expect(said).toMatch(why);
      expect(said).not.toMatch(/internal_error|step_failed|TypeError/);
      expect(invocations(role)).toBeLessThanOrEqual(most);
      expect(works.files("modules")).toEqual([]);
      expect(await works.services.codeIndex.snapshot()).toEqual([]);
      if (start === 0 && role !== "challenger") await works.close();
    }
  });
});

describe("valid answers without content", () => {
  const question = async (parts: Parts) => {
    const begun = await approved({ challenger: [PARTS["challenger"]?.at(-1)], ...parts });
    ({ works } = begun);
    expect(begun.outcome).toMatchObject({ status: "waiting" });
    const { kind, body, context } = await works.question();
    expect(kind).toBe("escalation");
    expect(works.files("modules")).toEqual([]);
    return `${body}\n${JSON.stringify(context)}`;
  };
  const twice = planOf(["MM-twice"]);
  const withContract = (change: object) => ({ ...twice, contracts: [{ ...twice.contracts[0], ...change }] });

  test.each([
    [
      "a cycle",
      planOf(["MM-a", ["MM-c@^1.0.0"]], ["MM-b", ["MM-a@^1.0.0"]], ["MM-c", ["MM-b@^1.0.0"]]),
      "/modules: depends_on has a cycle among MM-a, MM-b, MM-c",
    ],
    ["a module that depends on itself", planOf(["MM-a", ["MM-a@^1.0.0"]]), "/modules: depends_on has a cycle among MM-a"],
    ["no modules", { modules: [], contracts: [], reuse_reports: [] }, "/modules: "],
    [
      "placeholders in a contract",
      withContract({ inputs: [{ name: "n", type: "TBD", constraints: [] }] }),
      "/contracts/0/inputs/0/type: must say something: it is empty or a placeholder",
    ],
    ["a contract without outputs", withContract({ outputs: [] }), "/contracts/0/outputs: is empty"],
  ])("a plan with %s is tried three times, and the question says what is wrong", async (_, plan, said) => {
    expect(await question({ planner: [plan] })).toContain(said);
    expect(invocations("planner")).toBe(3);
    expect(invocations("proposer")).toBe(0);
  });

  test.each([
    ["empty examples", { "examples.md": " \n" }, "examples.md is missing"],
    [
      "examples of placeholders",
      { "examples.md": "# Examples\n\n## Call\nIt doubles.\n\n```ts\ntwice(<n>)\n```\n```ts\n...\n```\n" },
      "is a placeholder",
    ],
    ["no tests", { "tests/module.test.ts": null }, "test"],
  ])("a module with %s is revised twice, and the question says what is wrong", async (_, files, said) => {
    const proposer = (shown: Record<string, string>) => proposalOf(JSON.parse(shown["module contract"] ?? "{}") as Contract, files);
    expect(await question({ proposer: [proposer] })).toContain(said);
    expect(invocations("proposer")).toBeLessThanOrEqual(3);
  });
});
