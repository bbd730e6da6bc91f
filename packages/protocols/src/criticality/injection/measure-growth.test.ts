import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { untilDecided } from "@slipway/languages/typescript/testing/until-decided";
import { expect, test } from "vitest";
import { readLattice } from "../lattice/problems.ts";
import { projectTemplate } from "../lattice/target.ts";
import { openCodeTools } from "../workspace/code-tools.ts";
import { sandboxHere } from "./testing/body-scene.ts";
import { verifyBodies } from "./verify-bodies.ts";

const PATH = "src/domain/counts.ts";
const SKELETON: SourceTree = {
  ...projectTemplate({ id: "typescript" }, "counts"),
  [PATH]: `/**
 * ENSURES: result >= 0
 * COMPLEXITY: O(n) where n = items.length
 * PURITY: pure
 */
export function countOf(items: readonly number[], item: number): number {
  throw new Error("hole");
}
`,
};

async function verify(body: string, language: LanguageAdapter = typescriptAdapter(), timeoutMs = 120_000) {
  const sandbox = await sandboxHere();
  const tools = openCodeTools({ language, sandbox: async () => sandbox, compileTimeoutMs: 20_000 });
  const scaffold = { files: [{ path: PATH, feature: null, text: "" }], calls: [] };
  const [target] = readLattice(SKELETON, scaffold, { claims: {}, features: {} }, language).functions;
  if (target === undefined) throw new TypeError("The skeleton has no function.");
  const test = language.unitTest(SKELETON, target.path, target.name, target.contract);
  const checks = {
    language,
    folders: tools.folders,
    oracle: () => tools.oracleFor(SKELETON),
    dropOracle: tools.dropOracle,
    turns: tools.turns,
    run: { sandbox, timeoutMs },
  };
  try {
    return await verifyBodies(checks, SKELETON, [{ target, body }], test === null ? [] : [test]);
  } finally {
    await tools.close();
  }
}

const QUADRATIC =
  "let count = 0;\nfor (const one of items) for (const other of items) if (one === item && other === item) count++;\nreturn Math.sqrt(count);";

test("[CRI-104] a body that passes its tests and grows faster than its COMPLEXITY clause fails", { timeout: 240_000 }, async () => {
  const real = typescriptAdapter();
  let skips: readonly string[] = [];
  const language: LanguageAdapter = {
    ...real,
    async runTests(folder, selection) {
      const ran = await real.runTests(folder, selection);
      skips = ran.skipped;
      return ran;
    },
  };
  const failure = await untilDecided(
    () => verify(QUADRATIC, language),
    (verdict) => verdict === null && skips.length > 0,
  );
  expect(failure).toEqual({
    type: "complexity",
    expected: "O(n)",
    measured: expect.stringMatching(/^growth \d+ % above/),
  });
});

test.each([
  ["is skipped, because its times are too noisy", { tests: [], skipped: ["countOf COMPLEXITY"], broken: null }],
  ["does not end in time", { tests: [], skipped: [], broken: "The tests did not end in time." }],
])("a benchmark that %s fails no body", { timeout: 60_000 }, async (_, outcome) => {
  const real = typescriptAdapter();
  const language: LanguageAdapter = {
    ...real,
    runTests: (folder, selection) =>
      selection.files?.some((file) => file.startsWith("tests/benchmark/")) === true
        ? Promise.resolve(outcome)
        : real.runTests(folder, selection),
  };
  expect(await verify(QUADRATIC, language)).toBeNull();
});
