import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { describe, expect, test } from "vitest";
import type { SourceTree } from "../adapter.ts";
import { typescriptAdapter } from "./adapter.ts";

const adapter = typescriptAdapter();
const run = { sandbox: unsandboxed({ reason: "compiles only", by: "test" }) };
const PATH = "src/domain/clamp.ts";
const TREE: SourceTree = {
  "tsconfig.json": `{ "compilerOptions": { "strict": true } }`,
  [PATH]: `/**\n * REQUIRES: low <= high\n * ENSURES: result >= low\n */\nexport function clamp(value: number, low: number, high: number): number {\n  ${adapter.hole}\n}\n`,
};

describe("the adapter of TypeScript", () => {
  test("[CRI-185] has the six operations", () => {
    for (const name of ["compileCheck", "runTests", "parseAst", "injectBody", "emitCode", "generateWitness"] as const)
      expect(adapter[name]).toBeTypeOf("function");
    expect(adapter).toMatchObject({ id: "typescript", support: "strong", extension: ".ts" });
  });

  test("takes a skeleton from a proof without logic to an accepted body", async () => {
    const ast = adapter.parseAst(TREE[PATH]!);
    expect(adapter.latticeProblems(PATH, ast)).toEqual([]);
    expect(ast.functions.map(({ name, isHole }) => [name, isHole])).toEqual([["clamp", true]]);
    const oracle = await adapter.openOracle(TREE, run);
    try {
      expect((await oracle.check()).problems).toEqual([]);
      const body = "if (low > high) throw new RangeError('low is above high');\nreturn Math.min(Math.max(value, low), high);";
      const text = adapter.emitCode(adapter.injectBody(ast, "clamp", body));
      expect((await oracle.checkFile(PATH, text)).problems).toEqual([]);
      await oracle.accept(PATH, text);
      expect(adapter.parseAst(text).functions[0]).toMatchObject({
        isHole: false,
        calls: ["RangeError.constructor", "Math.min", "Math.max"],
      });
      expect((await oracle.check()).passed).toBe(true);
      expect(adapter.complexity(adapter.parseAst(text), "clamp")).toMatchObject({ cyclomatic: 2 });
      expect(adapter.scan(adapter.parseAst(text), "clamp")).toEqual([]);
      expect(adapter.smells(adapter.parseAst(text), "clamp")).toEqual([]);
    } finally {
      await oracle.close();
    }
  });

  test("writes tests from a contract and from a claim", () => {
    const contract = { clauses: [{ kind: "ENSURES" as const, predicate: "result >= low", line: 3 }] };
    expect(adapter.unitTest(TREE, PATH, "clamp", contract)?.tests).toHaveLength(1);
    const claim = {
      id: "clamp_001",
      text: "clamp stays at or above low",
      type: "invariant" as const,
      subject: "clamp",
      predicate: "result >= low",
      scope: "",
      testable: true,
      requires_mocking: [],
      suggested_generators: [],
    };
    expect(adapter.claimTest(TREE, claim).path).toMatch(/\.test\.ts$/);
    expect(adapter.typeDefinitions(TREE, PATH, "clamp", 2)).toBe("");
  });

  test("misses no tool where the compiler runs", async () => {
    expect(await adapter.missingTools()).toEqual([]);
  });
});
