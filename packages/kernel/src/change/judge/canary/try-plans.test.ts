import { describe, expect, test } from "vitest";
import type { LoadPlant, Plant, TestPlant } from "./plant.ts";
import { tryPlans, type TriedPlants } from "./try-plans.ts";

const load = (path: string): LoadPlant => ({ kind: "load", path, text: "", token: path });
const changed = (path: string, reported = false): TestPlant => ({
  ...load(path),
  kind: "test",
  near: path,
  framework: "vitest",
  title: path,
  reported,
  trace: null,
});

type Fates = Readonly<Record<string, "red" | "green" | "unseen">>;

/** Each run answers with these fates, by path. */
async function tried(plans: { first?: Plant[]; second?: Plant[]; inTests?: Plant[] }, ...answers: readonly Fates[]) {
  const ran: string[][] = [];
  const result = await tryPlans({ first: [], second: [], inTests: [], ...plans }, async (plants): Promise<TriedPlants> => {
    const fates = answers[ran.length] ?? {};
    ran.push(plants.map(({ path }) => path));
    const at = (fate: string) => plants.filter(({ path }) => fates[path] === fate);
    return {
      verdict: at("green").length > 0 ? "green" : at("red").length > 0 ? "red" : "unseen",
      unseen: at("unseen"),
      red: new Set(at("red").map(({ path }) => path)),
    };
  });
  return { collects: result.collects, hiding: [...result.hiding], ran };
}

const [a, b, source] = [changed("a"), changed("b"), load("source")];

describe("what is planted, and when it is enough", () => {
  test("a test turns red: one run", async () => {
    expect(await tried({ first: [a], second: [source] }, { a: "red" })).toEqual({ collects: "test", hiding: [], ran: [["a"]] });
  });

  test("a test stays green: nothing else is tried", async () => {
    expect(await tried({ first: [a], second: [source] }, { a: "green" })).toEqual({ collects: null, hiding: [], ran: [["a"]] });
  });

  test("no test is run, and an exception is seen: proven, if the tests are really not part of the gate", async () => {
    const plans = { first: [a], second: [source], inTests: [load("a")] };
    const both = [{ a: "unseen" }, { source: "red" }] as const;
    expect(await tried(plans, ...both, { a: "unseen" })).toEqual({ collects: "load", hiding: [], ran: [["a"], ["source"], ["a"]] });
    expect(await tried(plans, ...both, { a: "red" })).toEqual({ collects: null, hiding: ["a"], ran: [["a"], ["source"], ["a"]] });
  });

  test("a gate that is known to run no such test begins with the exception", async () => {
    expect(await tried({ first: [source], second: [a], inTests: [load("a")] }, { source: "red" })).toMatchObject({
      collects: "load",
      ran: [["source"]],
    });
  });

  test("tests that the report names and that nothing shows run again without those that failed, but for those of one file", async () => {
    const [x, y, z] = [changed("x", true), changed("y", true), changed("z")];
    const first = { x: "red", y: "unseen", z: "unseen" } as const;
    expect(await tried({ first: [x, y, z] }, first, { y: "red" })).toEqual({ collects: "test", hiding: [], ran: [["x", "y", "z"], ["y"]] });
    expect(await tried({ first: [x, y, z] }, first, { y: "unseen" })).toMatchObject({ collects: null });
    expect(await tried({ first: [x, { ...y, path: "x" }] }, { x: "red" })).toMatchObject({ collects: "test", ran: [["x", "x"]] });
    expect(await tried({ first: [a, b] }, { a: "red", b: "unseen" })).toMatchObject({ collects: "test", ran: [["a", "b"]] });
  });

  test("nothing is seen at all: not proven", async () => {
    const nothing = { a: "unseen", source: "unseen" } as const;
    expect(await tried({ first: [a], second: [source] }, nothing, nothing)).toEqual({
      collects: null,
      hiding: [],
      ran: [["a"], ["source"]],
    });
  });
});
