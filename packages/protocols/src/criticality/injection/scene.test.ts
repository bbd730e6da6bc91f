import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../config/config.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import { readLattice } from "../lattice/problems.ts";
import type { CodeTools } from "../workspace/code-tools.ts";
import { sceneOf, unitTestsOf } from "./scene.ts";

const language = typescriptAdapter();
const run = { services: { language }, config: parseConfig(null).config } as unknown as CriticalityRun;
const PATH = "src/domain/a.ts";

function sceneWith(signature: string, doc = "/** ENSURES: true */") {
  const tree = { [PATH]: `${doc}\nexport function f${signature} {\n  ${HOLE}\n}\n` };
  const { functions } = readLattice(tree, { files: [], calls: [] }, { claims: {}, features: {} }, language);
  const tests = unitTestsOf(run, { tree, functions, witnesses: [] });
  const scene = sceneOf({ run, tools: { language } as unknown as CodeTools, tests, skeleton: tree }, tree, 1);
  const [target] = functions;
  if (target === undefined) throw new Error("no function");
  return { scene, target, tests };
}

describe("the scene of an attempt", () => {
  test("a plain function begins with the worker, one that is too hard for it with a larger model", () => {
    const plain = sceneWith("(left: number): number");
    expect(plain.scene.firstTier(plain.target)).toBe("worker");
    const parameters = Array.from({ length: 12 }, (_, index) => `p${index}: Map<string, Map<string, A | B | C | D>>`).join(", ");
    const hard = sceneWith(`<A, B, C, D>(${parameters}): A | B | C | D | null`);
    expect(hard.scene.firstTier(hard.target)).toBe("fallback1");
  });

  test("[CRI-060] the tests of a function come from its contract, before any body exists", () => {
    const { tests } = sceneWith("(left: number): number", "/** ENSURES: result >= left */");
    expect(tests.of(`${PATH}#f`)?.text).toContain("result >= left");
    expect(tests.of(`${PATH}#f`)).toBe(tests.of(`${PATH}#f`));
    expect(tests.of(`${PATH}#unknown`)).toBeNull();
  });
});
