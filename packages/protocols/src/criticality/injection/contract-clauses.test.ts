import type { SourceTree } from "@slipway/languages/adapter";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { afterAll, describe, expect, test } from "vitest";
import { readLattice } from "../lattice/problems.ts";
import { projectTemplate } from "../lattice/target.ts";
import { openCodeTools } from "../workspace/code-tools.ts";
import { sandboxHere } from "./testing/body-scene.ts";
import { verifyBodies } from "./verify-bodies.ts";

const PATH = "src/domain/clauses.ts";
const SKELETON: SourceTree = {
  ...projectTemplate({ id: "typescript" }, "clauses"),
  [PATH]: `export type Sorted = readonly number[] & { readonly sorted: true };
export interface Box {
  count: number;
}

/**
 * REQUIRES: amount > 0
 * ENSURES: result === amount * 2
 * PURITY: pure
 */
export function double(amount: number): number {
  throw new Error("hole");
}

/**
 * INVARIANT: box.count >= 0
 */
export function take(box: Box): number {
  throw new Error("hole");
}

/**
 * REQUIRES: items is sorted (witnessed by Sorted type)
 */
export function first(items: Sorted): number {
  throw new Error("hole");
}

/**
 * ENSURES: result === result
 */
export function lowest(items: readonly number[]): number {
  throw new Error("hole");
}
`,
};

const language = typescriptAdapter();
const sandbox = await sandboxHere();
const tools = openCodeTools({ language, sandbox: async () => sandbox, compileTimeoutMs: 20_000 });
afterAll(() => tools.close());
const scaffold = { files: [{ path: PATH, feature: null, text: "" }], calls: [] };
const { functions } = readLattice(SKELETON, scaffold, { claims: {}, features: {} }, language);

function unitTest(name: string) {
  const target = functions.find((one) => one.name === name);
  if (target === undefined) throw new TypeError(name);
  return { target, generated: language.unitTest(SKELETON, target.path, name, target.contract) };
}

async function verify(name: string, body: string) {
  const { target, generated } = unitTest(name);
  const checks = {
    language,
    folders: tools.folders,
    oracle: () => tools.oracleFor(SKELETON),
    dropOracle: tools.dropOracle,
    turns: tools.turns,
    run: { sandbox, timeoutMs: 60_000 },
  };
  return verifyBodies(checks, SKELETON, [{ target, body }], generated === null ? [] : [generated]);
}

const failing = (clause: string) => ({
  type: "test",
  failingTests: [{ test: expect.stringContaining(clause) as string, message: expect.any(String) as string }],
});
const HONEST = 'if (!(amount > 0)) throw new RangeError("amount");\nreturn amount * 2;';

describe("[CRI-104] a body that breaks", { timeout: 60_000 }, () => {
  test("no clause passes", async () => {
    expect(await verify("double", HONEST)).toBeNull();
    expect(await verify("take", "return box.count;")).toBeNull();
  });

  test("a runtime precondition is found by a generated test", async () => {
    expect(await verify("double", "return amount * 2;")).toEqual(failing("REQUIRES"));
  });

  test("a postcondition is found by a generated test", async () => {
    expect(await verify("double", HONEST.replace("* 2", "* 2.5"))).toEqual(failing("ENSURES"));
  });

  test("an invariant is found by a property test", async () => {
    expect(await verify("take", "box.count = -1;\nreturn 0;")).toEqual(failing("INVARIANT"));
    expect(unitTest("take").generated?.text).toContain("fc.assert");
  });

  test("purity is found by static analysis", async () => {
    expect(await verify("double", `Date.now();\n${HONEST}`)).toEqual({
      type: "semantic",
      violation: expect.stringContaining("PURITY: pure") as string,
    });
  });

  test("a type-witnessed precondition is found by the compiler, and no test is generated for it", async () => {
    expect(await verify("lowest", "return first(items);")).toMatchObject({
      type: "type",
      compilerError: expect.stringContaining("sorted") as string,
    });
    expect(unitTest("first").generated?.tests ?? []).toEqual([]);
  });
});
