import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { EngineeringResult } from "./engineering.ts";
import { APPROVE, challengeOf, codeOf, contractOf, plannedModule, planOf, proposalOf, REJECT, reportOf } from "./testing/modules.ts";
import {
  language,
  ONE_MODULE,
  openWorkshop,
  shippedFrom,
  TASK,
  type Script,
  type Workshop,
  type WorkshopOptions,
} from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());
afterAll(() => language.close());

/** A Proposer that delivers the module of its contract. */
const anyModule = (shown: Record<string, string>) => proposalOf(JSON.parse(shown["module contract"]!) as never);
const HAPPY: Script = { ...ONE_MODULE, proposer: [anyModule], challenger: [challengeOf()], arbiter: [APPROVE] };

async function open(script: Script, options: WorkshopOptions = {}) {
  services = await openWorkshop({ ...HAPPY, ...script }, options);
  return services;
}
const halt = (result: EngineeringResult) => {
  if (result.status !== "HALTED") throw new Error("not halted");
  return result;
};
const attempted = () => [...new Set(services.asked.filter(({ role }) => role === "proposer").map(({ subject }) => subject))];
const FAIL = challengeOf({ R3: "numbers beyond the largest one are not refused" }, [
  { invariant: "n", evidence: "1e309", required_change: "refuse it" },
]);

describe("the modules of a plan", () => {
  test("[FAC-074] [FAC-075] [FAC-140] a failed one also abandons its dependants and nothing else; then the task halts", async () => {
    const plan = planOf(
      ["MM-last", ["MM-middle@^1.0.0"]],
      ["MM-middle", ["MM-first@^1.0.0"]],
      ["MM-other"],
      ["MM-first"],
      ["MM-after", ["MM-other@^1.0.0"]],
    );
    await open({ planner: [plan], "challenger/MM-first": [FAIL], "arbiter/MM-first": [REJECT] });
    const result = halt(await services.run());
    expect(attempted()).toEqual(["MM-other", "MM-first", "MM-after"]);
    expect(result.modules).toEqual(["MM-other@1.0.0", "MM-after@1.0.0"]);
    expect(result.halt).toMatchObject({
      cause: "module_failed",
      failed: [{ module_id: "MM-first" }],
      abandoned: ["MM-last", "MM-middle"],
      shipped: result.modules,
    });
    expect(result.halt.escalation.resolution_context).toContain(
      "failed: MM-first@1.0.0\nabandoned: MM-last, MM-middle\nshipped before: MM-other@1.0.0, MM-after@1.0.0",
    );
    expect(services.kept.registered.map(({ module_id }) => module_id)).toEqual(["MM-other", "MM-after"]);
  }, 120_000);

  test("one calls another by its name, sees its contract and never its source", async () => {
    const calling = contractOf("MM-quad", "quad", { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }] });
    const code = `import { twice, NegativeError } from "#MM-twice";\nexport { NegativeError } from "#MM-twice";\n\nexport function quad(n: number): number {\n  if (n < 0) throw new NegativeError("n");\n  return twice(n);\n}\n`;
    await open({
      planner: [planOf(["MM-quad", ["MM-twice@^1.0.0"]], ["MM-twice"])],
      "proposer/MM-quad": [proposalOf(calling, { "implementation/index.ts": code })],
    });
    expect(await services.run()).toMatchObject({ status: "SHIPPED", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] });
    expect(services.kept.sealed[1]?.depends_on).toEqual(["MM-twice@1.0.0"]);
    const shown = services.asked.find(({ role, subject }) => role === "proposer" && subject === "MM-quad")!;
    expect(shown.sections()["dependency MM-twice@1.0.0"]).toContain('"interface_fingerprint"');
    expect(
      services.asked.filter(({ subject }) => subject === "MM-quad").some(({ prompt }) => prompt.includes(codeOf("twice").slice(-40))),
    ).toBe(false);
  });

  test("a reused one costs nothing", async () => {
    const sealed = {
      module_id: "MM-twice",
      version: "1.2.0",
      depends_on: [],
      files: {
        "contract.json": JSON.stringify(contractOf()),
        "ship.json": '{"ship_id":"SHIP-00000000","verification":{"interface_fingerprint":"x"}}',
      },
    };
    const reusing = {
      modules: [plannedModule("MM-twice", [], { reuse_decision: "REUSE", reuse_candidate_refs: ["MM-twice@1.2.0"] })],
      contracts: [],
      reuse_reports: [reportOf("MM-twice", [], { conclusion: "REUSE_EXISTING" })],
    };
    await open({ planner: [reusing] }, { shipped: [shippedFrom(sealed)] });
    expect(await services.run()).toMatchObject({ status: "SHIPPED", modules: ["MM-twice@1.2.0"] });
    expect(attempted()).toEqual([]);
  });

  test("one with a missing dependency fails without an invocation", async () => {
    await open({ planner: [planOf(["MM-twice", ["MM-nowhere@1.0.0"]])] });
    expect(halt(await services.run()).halt).toMatchObject({
      failed: [{ reason: "no shipped module fits MM-nowhere@1.0.0", deliverable: null }],
    });
    expect(attempted()).toEqual([]);
  });

  test("[FAC-093] a new version with the same contract is a patch, without an exception", async () => {
    const sealed = {
      module_id: "MM-twice",
      version: "1.0.0",
      depends_on: [],
      files: { "contract.json": JSON.stringify(contractOf()), "ship.json": "{}" },
    };
    await open({}, { shipped: [shippedFrom(sealed)] });
    expect(await services.run({ successors: { "MM-twice": "UNKNOWN" } })).toMatchObject({ status: "SHIPPED", modules: ["MM-twice@1.0.1"] });
    expect(JSON.parse(services.kept.sealed[0]!.files["contract.json"]!)).toMatchObject({ module_version: "1.0.1" });
  });
});

describe("the plan", () => {
  const bad = { modules: [plannedModule("MM-twice", [], { purpose: " " })], contracts: [], reuse_reports: [] };

  test("[FAC-138] an invalid one is sent back with the exact errors, itself and the task; the third may be valid", async () => {
    await open({ planner: [bad, "nothing", "nothing", "nothing", planOf(["MM-twice"])] });
    expect((await services.run()).status).toBe("SHIPPED");
    const planners = services.asked.filter(({ role }) => role === "planner");
    expect([...new Set(planners.map(({ attempt }) => attempt))]).toEqual(["1", "2", "3"]);
    const second = planners[1]!.sections();
    expect(second["results"]).toBe('/modules/0/purpose: expected text matching /\\S/, found " "');
    expect(JSON.parse(second["your last plan"]!)).toEqual(bad);
    expect(second["task"]).toBe(TASK.task_file);
    expect(planners.at(-1)!.sections()["results"]).toContain("gave no valid answer");
  });

  test("[FAC-139] after three the task halts, with the last plan and all its errors", async () => {
    await open({ planner: [bad] });
    const result = halt(await services.run());
    expect(services.asked.map(({ role }) => role)).toEqual(["planner", "planner", "planner"]);
    expect(result.halt).toMatchObject({
      cause: "plan_invalid",
      plan: bad,
      problems: ['/modules/0/purpose: expected text matching /\\S/, found " "'],
    });
    const { escalation } = result.halt;
    expect(escalation).toMatchObject({ task_id: TASK.task_id, task_ref: TASK.task_path, recommended_resolution: "REVISE_PLAN" });
    expect(escalation.resolution_context).toContain("revise task decomposition");
    expect(escalation.resolution_context).toContain('"reuse_justification": "Nothing in the index doubles numbers."');
  });

  test("[FAC-135] is made once, by one role, without a debate, and locked before anything is built", async () => {
    await open({});
    await services.run();
    expect(services.asked.filter(({ role }) => role === "planner")).toHaveLength(1);
    const [locked] = services.kept.plans;
    expect(locked?.plan).toMatchObject({ micro_plan_id: expect.stringMatching(/^MP-[0-9a-f]{8}$/), parent_task_ref: TASK.task_ref });
    const steps = await services.steps();
    expect(steps.indexOf("plan:locked")).toBeLessThan(steps.indexOf("MM-twice/propose:1"));
    const [plan] = await services.artifacts.query({ artifact_type: "MICRO_PLAN" });
    expect(plan?.status).toBe("DRAFT");
    const [contract] = await services.artifacts.query({ artifact_type: "CONTRACT" });
    expect(JSON.parse(await services.artifacts.read(contract!.artifact_id, "contract.json"))).toEqual(locked?.contracts[0]);
  });

  test("[FAC-143] a person's plan is validated like any other, and then the task starts over", async () => {
    await open({ planner: ["never asked"] });
    expect(await services.run({}, { kind: "plan", plan: planOf(["MM-twice"]) })).toMatchObject({ status: "SHIPPED" });
    expect(services.asked.some(({ role }) => role === "planner")).toBe(false);
    const refused = halt(await services.run({}, { kind: "plan", plan: bad }));
    expect(refused.halt).toMatchObject({ cause: "plan_invalid", problems: [expect.stringContaining("/modules/0/purpose")] });
  });

  test("[FAC-142] evidence against the plan itself halts the whole task at once", async () => {
    const defect = {
      invariant: "R6",
      evidence: "it parses and it doubles",
      required_change: "two modules",
      concerns: "document",
      plan_level: "split task",
    };
    await open({
      planner: [planOf(["MM-twice"], ["MM-other"])],
      challenger: [challengeOf({ R6: "it is two behaviours in one module" }, [defect])],
    });
    const { halt: why } = halt(await services.run());
    expect(why).toMatchObject({
      cause: "plan_defect",
      recommendation: "split task",
      plan: { modules: [{ module_id: "MM-twice" }, { module_id: "MM-other" }] },
    });
    expect(why.escalation).toMatchObject({
      recommended_resolution: "SPLIT_TASK",
      failed_invariants: [{ invariant: "R6", evidence: "it parses and it doubles" }],
    });
    expect(why.escalation.debate_trail.challenges).toHaveLength(1);
    expect(attempted()).toEqual(["MM-twice"]);
  });
});
