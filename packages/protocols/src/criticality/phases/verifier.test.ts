import type { GeneratedTest, SourceTree } from "@slipway/languages/adapter";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { describe, expect, test } from "vitest";
import type { ClusterTests } from "../mesoscopic/synthesize-tests.ts";
import type { CodeTools } from "../workspace/code-tools.ts";
import { testsInScope, transformVerifier, type ProgramTests } from "./verifier.ts";

const generated = (path: string): GeneratedTest => ({ path, text: `// ${path}`, tests: [path], untested: [] });
const cluster = (module: string, claim: string): ClusterTests => ({
  cluster: { name: module, modules: [module], claims: [claim] },
  tests: [{ claim, test: generated(`tests/property/${claim}.test.ts`) }],
  untested: [],
});
const PROGRAM: ProgramTests = {
  functions: ["src/a.ts#f", "src/a.ts#untested", "src/b.ts#g"],
  unit: { of: (id) => (id.endsWith("untested") ? null : generated(`tests/unit/${id.slice(-1)}.test.ts`)) },
  clusters: [cluster("src/a", "sum_001"), cluster("src/b", "sum_002")],
};
const pathsIn = (scope: Parameters<typeof testsInScope>[1]) => testsInScope(PROGRAM, scope).map(({ path }) => path);
const WHOLE = { type: "full_test_suite" } as const;
const OF_F = { type: "unit_tests", scope: "target_function", function: "src/a.ts#f" } as const;

describe("the tests of a transformation", () => {
  test("unit tests are those of the function, integration tests those of its module, the suite is all of them", () => {
    expect(pathsIn(OF_F)).toEqual(["tests/unit/f.test.ts"]);
    expect(pathsIn({ type: "integration_tests", scope: "module", path: "src/b.ts" })).toEqual(["tests/property/sum_002.test.ts"]);
    expect(pathsIn(WHOLE)).toEqual([
      "tests/unit/f.test.ts",
      "tests/unit/g.test.ts",
      "tests/property/sum_001.test.ts",
      "tests/property/sum_002.test.ts",
    ]);
  });

  /** Runs the suite with this result; `ran` are the names of passed tests. */
  async function verdict(ran: readonly string[], change: Partial<TestRun> = {}, scope: Parameters<typeof testsInScope>[1] = WHOLE) {
    const seen: SourceTree[] = [];
    const runTests = async (tree: SourceTree): Promise<TestRun> => {
      seen.push(tree);
      return { tests: ran.map((name) => ({ name, result: "PASS", duration_ms: 1, error: null })), skipped: [], broken: null, ...change };
    };
    const verifier = transformVerifier({ runTests } as unknown as CodeTools, PROGRAM, 1_000);
    return { seen, ...(await verifier.tests({ "src/a.ts": "code" }, scope, AbortSignal.timeout(10_000))) };
  }

  test("it passes if every test ran and passed, on the tree with the tests", async () => {
    const { passed, ran, detail, seen } = await verdict(pathsIn(WHOLE));
    expect({ passed, ran, detail }).toEqual({ passed: true, ran: 4, detail: "" });
    expect(seen[0]).toMatchObject({ "src/a.ts": "code", "tests/unit/f.test.ts": "// tests/unit/f.test.ts" });
  });

  test("a test that did not run, one that failed, and a run that broke are no pass", async () => {
    expect(await verdict(pathsIn(WHOLE).slice(1))).toMatchObject({ passed: false, detail: "3 of 4 tests ran" });
    const failed = {
      name: "f",
      result: "FAIL" as const,
      duration_ms: 1,
      error: { name: "E", message: "1 is not 2", by: "check" as const },
    };
    expect(await verdict([], { tests: [failed] })).toMatchObject({ passed: false, detail: "f: 1 is not 2" });
    expect(await verdict([], { tests: [{ ...failed, error: null }] })).toMatchObject({ detail: "f: failed" });
    expect(await verdict(pathsIn(WHOLE), { broken: "the tests did not end in time" })).toMatchObject({ passed: false });
  });

  test("[CRI-083] the coverage is that of the lines in written functions; without tests, or in a language that has none, it is not measured", async () => {
    const line = (path: string, reached: readonly number[]) => ({ path, name: "f", lines: [1, 2], reached });
    const measured = (coverage: TestRun["coverage"], program = PROGRAM) => {
      const runTests = async (_: SourceTree, __: readonly string[], run: { readonly coverage?: boolean }): Promise<TestRun> => {
        expect(run.coverage).toBe(true);
        return { tests: [], skipped: [], broken: null, ...(coverage === undefined ? {} : { coverage }) };
      };
      return transformVerifier({ runTests } as unknown as CodeTools, program, 1_000).coverage?.({}, AbortSignal.timeout(10_000));
    };
    expect(await measured([line("src/a.ts", [1]), line("src/b.ts", [1, 2]), line("src/witnesses/w.ts", [])])).toBe(0.75);
    expect(await measured(undefined)).toBeNull();
    expect(await measured([line("src/a.ts", [1])], { ...PROGRAM, functions: [], clusters: [] })).toBeNull();
  });

  test("a scope without tests runs none, and says so", async () => {
    const scope = { type: "unit_tests", scope: "target_function", function: "src/a.ts#untested" } as const;
    expect(await verdict([], {}, scope)).toEqual({ seen: [], passed: true, ran: 0, detail: "" });
  });
});
