import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { LanguageAdapter, SourceTree } from "../adapter.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { projectFolder, testMachine } from "./adapter-suite.ts";
import { skipWithout, testSandbox } from "./tools-here.ts";

export interface ValueCase {
  readonly title: string;
  readonly tree: SourceTree;
  readonly path: string;
  readonly name: string;
  /** How many tests pass; null if none can be made. */
  readonly passes: number | null;
}

/** Generates the tests of functions that are complete, and runs them: generated values must fit their types and reach every clause. */
export function generatedValueSuite(
  make: (machine: ReturnType<typeof testMachine>) => LanguageAdapter,
  tools: readonly string[],
  cases: readonly ValueCase[],
): void {
  let sandbox: Sandbox;
  const adapter = make(testMachine());
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  describe(`generated values of ${adapter.title}`, () => {
    test.each(cases)("$title", async ({ tree, path, name, passes, ...rest }) => {
      const doc = adapter.parseAst(tree[path] ?? "").functions.find((one) => one.name === name)?.doc ?? "";
      const made = adapter.unitTest(tree, path, name, parseContract(doc, 1, null));
      expect(made?.tests.length ?? null, rest.title).toBe(passes);
    });

    test("reach every clause when the tests run", { timeout: 300_000 }, async (context) => {
      await skipWithout(context, adapter, ...tools);
      const made = cases.flatMap(({ tree, path, name }) => {
        const doc = adapter.parseAst(tree[path] ?? "").functions.find((one) => one.name === name)?.doc ?? "";
        return adapter.unitTest(tree, path, name, parseContract(doc, 1, null)) ?? [];
      });
      const tree = Object.assign({}, ...cases.map((one) => one.tree)) as SourceTree;
      const files = testFiles(made);
      const { tests, broken } = await adapter.runTests(projectFolder({ ...tree, ...files }), { sandbox });
      expect(broken).toBeNull();
      expect(tests.filter(({ result }) => result === "FAIL").map(({ name, error }) => `${name}: ${error?.message}`)).toEqual([]);
      expect(tests).toHaveLength(made.flatMap((one) => one.tests).length);
    });
  });
}
