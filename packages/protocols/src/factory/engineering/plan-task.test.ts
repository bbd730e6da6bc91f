import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleProblems } from "./examples.ts";
import { checkPlan, namedModules, type MicroPlanFacts } from "./plan-rules.ts";
import { dependentsOf, inDependencyOrder } from "./order.ts";
import { contractOf, examplesOf, plannedModule, planOf, reportOf } from "./testing/modules.ts";
import { findDependencies, loadModules } from "./brief.ts";
import type { ShippedModule } from "./ports.ts";

const NOTHING: MicroPlanFacts = { existing: new Set(), successors: new Set(), shipped: new Set(), reuse: {} };
const problems = (plan: unknown, facts: Partial<MicroPlanFacts> = {}) => {
  const checked = checkPlan(plan, { ...NOTHING, ...facts });
  return checked.ok ? [] : checked.problems.map(({ field, message }) => `${field}: ${message}`);
};
const withModule = (change: object) => {
  const plan = planOf(["MM-a"]);
  return { ...plan, modules: [{ ...plan.modules[0], ...change }] };
};
const io = plannedModule("MM-a").io_contract;

describe("a micro plan", () => {
  test("[FAC-134] has these fields", () => {
    expect(problems(planOf(["MM-a"]))).toEqual([]);
    for (const field of Object.keys(plannedModule("MM-a"))) expect(problems(withModule({ [field]: undefined })), field).not.toEqual([]);
    expect(namedModules(planOf(["MM-a"], ["MM-b"]))).toEqual(["MM-a", "MM-b"]);
    expect(namedModules("nothing")).toEqual([]);
  });

  test.each([
    ["another id", { module_id: "module-a" }, "/modules/0/module_id: expected text matching"],
    ["an empty purpose", { purpose: "" }, "/modules/0/purpose"],
    ["a type that is none", { error_cases: "none" }, "/modules/0/error_cases: expected a list"],
    ["its own id for the plan", null, '/micro_plan_id: unknown field "micro_plan_id"'],
    ["no inputs", { io_contract: { ...io, inputs: [] } }, "/modules/0/io_contract/inputs: is empty"],
    ["no effects", { io_contract: { ...io, effects: [] } }, "/modules/0/io_contract/effects: is empty"],
    ["a placeholder", { io_contract: { ...io, modes: ["TBD"] } }, '/modules/0/io_contract/modes/0: is a placeholder: "TBD"'],
    [
      "not applicable",
      { io_contract: { ...io, error_surfaces: ["not applicable"] } },
      "/modules/0/io_contract/error_surfaces/0: is a placeholder",
    ],
  ])("[FAC-136] with %s is refused", (_, change, expected) => {
    const plan = change === null ? { ...planOf(["MM-a"]), micro_plan_id: "MP-1" } : withModule(change);
    expect(problems(plan)).toContainEqual(expect.stringContaining(expected));
  });

  test("[FAC-137] with a wrong reference, a duplicate or existing id, or a cycle is refused", () => {
    expect(problems(withModule({ depends_on: ["MM-b"] }))).toContainEqual(expect.stringContaining("/modules/0/depends_on/0"));
    expect(problems(planOf(["MM-a"], ["MM-a"]))).toContainEqual('/modules/1/module_id: "MM-a" is in the plan twice');
    expect(problems(planOf(["MM-a"]), { existing: new Set(["MM-a"]) })).toEqual([
      '/modules/0/module_id: "MM-a" exists already; reuse it or choose another id',
    ]);
    expect(problems(planOf(["MM-a"]), { existing: new Set(["MM-a"]), successors: new Set(["MM-a"]) })).toEqual([]);
    const cycle = planOf(["MM-a", ["MM-c@1.0.0"]], ["MM-b", ["MM-a@1.0.0"]], ["MM-c", ["MM-b@1.0.0"]], ["MM-d"]);
    expect(problems(cycle)).toEqual(["/modules: depends_on has a cycle among MM-a, MM-b, MM-c"]);
    expect(problems(planOf(["MM-a", ["MM-a@1.0.0"]]))).toEqual(["/modules: depends_on has a cycle among MM-a"]);
  });

  test("has one contract for each module it creates, with the same dependencies", () => {
    const plan = planOf(["MM-a"], ["MM-b"]);
    expect(problems({ ...plan, contracts: [plan.contracts[0], plan.contracts[0]] })).toEqual([
      "/contracts: 2 contracts for MM-a; exactly one is needed",
      "/contracts: 0 contracts for MM-b; exactly one is needed",
    ]);
    const stray = planOf(["MM-a"], ["MM-c"]).contracts;
    expect(problems({ ...planOf(["MM-a"]), contracts: stray })).toEqual(['/contracts/1/module_id: "MM-c" is no module this plan creates']);
    const loose = {
      ...planOf(["MM-a"]),
      contracts: [{ ...planOf(["MM-a"]).contracts[0], outputs: [], dependencies: [{ ref: "MM-x@1.0.0", why: "w" }] }],
    };
    expect(problems(loose)).toEqual([
      "/contracts/0/outputs: is empty",
      "/contracts/0/dependencies: names MM-x, and depends_on names nothing",
    ]);
    const lost = { ...planOf(["MM-a", ["MM-x@1.0.0"]]), contracts: planOf(["MM-a"]).contracts };
    expect(problems(lost)).toEqual(["/contracts/0/dependencies: names nothing, and depends_on names MM-x"]);
  });

  test("reuses shipped modules under their own id", () => {
    const reuse = (refs: string[]) => ({
      modules: [plannedModule("MM-a", [], { reuse_decision: "REUSE", reuse_candidate_refs: refs })],
      contracts: [],
      reuse_reports: [reportOf("MM-a", [], { conclusion: "REUSE_EXISTING" })],
    });
    const shipped = new Set(["MM-a@1.0.0", "MM-b@1.0.0"]);
    const facts = { shipped, reuse: { "MM-a": { known: [...shipped], returned: [], alike: [] } } };
    expect(problems(reuse(["MM-a@1.0.0"]), { ...facts, existing: new Set(["MM-a"]) })).toEqual([]);
    expect(problems(reuse(["MM-b@1.0.0"]), facts)).toHaveLength(1);
    expect(problems(reuse([]), facts).slice(0, 1)).toEqual([
      "/modules/0/reuse_candidate_refs: REUSE needs a shipped version of MM-a among its candidates, found []",
    ]);
  });
});

/** Any graph: each module may depend on earlier ones, in a shuffled plan. */
const graphs = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .map((picks) =>
    picks.map((some, index) => ({
      module_id: `MM-${index}`,
      depends_on: index === 0 ? ["MM-outside@1.0.0"] : some.map((pick) => `MM-${pick % index}@1.0.0`),
    })),
  )
  .chain((modules) => fc.shuffledSubarray(modules, { minLength: modules.length }));

describe("order and abandonment", () => {
  test("[FAC-140] dependencies first, then the order of the plan", () => {
    fc.assert(
      fc.property(graphs, (modules) => {
        const order = inDependencyOrder(modules);
        if (!order.ok) throw new Error("no cycle was made");
        const place = new Map(order.modules.map(({ module_id }, index) => [module_id, index]));
        for (const { module_id, depends_on } of modules) {
          for (const ref of depends_on) expect(place.get(ref.split("@")[0]!) ?? -1).toBeLessThan(place.get(module_id)!);
        }
        // At each point, a module that is earlier in the plan but comes later was not ready.
        order.modules.forEach((chosen, index) => {
          const done = new Set(order.modules.slice(0, index).map(({ module_id }) => module_id));
          const ready = modules.filter(
            ({ module_id, depends_on }) =>
              !done.has(module_id) && depends_on.every((ref) => done.has(ref.split("@")[0]!) || !place.has(ref.split("@")[0]!)),
          );
          expect(ready[0]).toBe(chosen);
        });
      }),
    );
  });

  test("[FAC-074] exactly those with a path to a failed module are abandoned", () => {
    const reaches = (modules: readonly { module_id: string; depends_on: readonly string[] }[], from: string, to: string): boolean =>
      (modules.find(({ module_id }) => module_id === from)?.depends_on ?? []).some(
        (ref) => ref.split("@")[0] === to || reaches(modules, ref.split("@")[0]!, to),
      );
    fc.assert(
      fc.property(graphs, fc.nat(), (modules, pick) => {
        const failed = modules[pick % modules.length]!.module_id;
        const expected = modules.map(({ module_id }) => module_id).filter((id) => id !== failed && reaches(modules, id, failed));
        expect(dependentsOf([failed], modules)).toEqual(expected);
      }),
    );
  });
});

describe("[FAC-159] [FAC-160] examples", () => {
  const contract = contractOf();
  test.each([
    ["are complete", examplesOf(), contract, []],
    [
      "without a call",
      examplesOf().replace("## Doubling a number\nTwenty-one doubled is forty-two.", "## Call"),
      contract,
      ["examples.md has no example of a call with a description, its input and its expected output in code blocks"],
    ],
    [
      "with prose instead of code",
      examplesOf().replaceAll("```ts\n42\n```", "42"),
      contract,
      ["examples.md has no example of a call with a description, its input and its expected output in code blocks"],
    ],
    [
      "with an effect that is not shown",
      examplesOf(),
      { ...contract, effects: [{ type: "WRITE" as const, target: "log", description: "a line" }] },
      ["examples.md shows no effect, although the contract declares some"],
    ],
    [
      "with an effect shown",
      examplesOf().replace("Twenty-one", "The effect: twenty-one"),
      { ...contract, effects: [{ type: "WRITE" as const, target: "log", description: "a line" }] },
      [],
    ],
    [
      "with placeholders",
      examplesOf().replace("twice(21)", 'twice("some_input", "...", <your_value_here>)'),
      contract,
      ["some_input", "...", "<your_value_here>"].map((found) => `examples.md, "Doubling a number": ${found} is a placeholder`),
    ],
    ["with JavaScript's spread syntax", examplesOf().replace("twice(21)", "twice(...[21])"), contract, []],
    [
      "as a list",
      "- The call doubles twenty-one.\n  ```ts\n  twice(21)\n  ```\n  ```ts\n  42\n  ```\n1. NegativeError\n~~~\ntwice(-1)\n~~~\n~~~\nNegativeError\n~~~\n",
      contract,
      [],
    ],
    ["empty", " \n", contract, ["examples.md is missing"]],
  ])("%s", (_, text, about, expected) => expect(exampleProblems(text, about)).toEqual(expected));
});

describe("dependencies", () => {
  const module = (module_id: string, version: string, depends_on: string[] = []) =>
    ({ module_id, version, depends_on }) as unknown as ShippedModule;
  const store = (...modules: ShippedModule[]) => ({
    shippedModule: async (ref: string) =>
      modules.find(({ module_id, version }) => ref === `${module_id}@${version}` || ref === `${module_id}@^1.0.0`) ?? null,
  });
  const needing = (...refs: string[]) => contractOf("MM-x", "x", { dependencies: refs.map((ref) => ({ ref, why: "w" })) });

  test("are found transitively, at one version each", async () => {
    const all = store(module("MM-a", "1.2.0", ["MM-b@1.1.0"]), module("MM-b", "1.1.0"));
    expect(await findDependencies(all, needing("MM-a@^1.0.0", "MM-b@^1.0.0"))).toEqual({
      ok: true,
      direct: ["MM-a@1.2.0", "MM-b@1.1.0"],
      all: ["MM-a@1.2.0", "MM-b@1.1.0"],
    });
    expect(await findDependencies(all, needing("MM-b@1.1.0", "MM-b@2.0.0"))).toEqual({
      ok: false,
      problem: "MM-b is needed at 1.1.0 and as MM-b@2.0.0: a module cannot be used in two versions",
    });
    expect((await loadModules(all, ["MM-a@1.2.0", "MM-c@1.0.0"])).map(({ module_id }) => module_id)).toEqual(["MM-a"]);
  });
});
