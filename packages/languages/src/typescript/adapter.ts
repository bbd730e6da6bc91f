import type { LanguageAdapter, MissingTool } from "../adapter.ts";
import { claimTest } from "./claim-test.ts";
import { complexityTest } from "./complexity-test.ts";
import { complexityOf } from "./complexity.ts";
import { compileCheck } from "./oracle/compile-folder.ts";
import { openOracle } from "./oracle/oracle.ts";
import { runProjectTests } from "./project-tests.ts";
import { scanSource } from "./security-scan.ts";
import { smellsOf } from "./smells.ts";
import { HOLE } from "./source/hole.ts";
import { injectBody } from "./source/inject-body.ts";
import { latticeProblems } from "./source/lattice-problems.ts";
import { parseSource } from "./source/parse-source.ts";
import { typeDefinitions } from "./source/type-definitions.ts";
import { unitTest } from "./unit-test.ts";
import { generateWitness } from "./witness.ts";

export function typescriptAdapter(): LanguageAdapter {
  return {
    id: "typescript",
    title: "TypeScript",
    support: "strong",
    extension: ".ts",
    hole: HOLE,
    missingTools,
    parseAst: parseSource,
    injectBody,
    emitCode: ({ text }) => text,
    latticeProblems,
    typeDefinitions,
    compileCheck,
    openOracle: async (tree, run) => openOracle(tree, run),
    runTests: runProjectTests,
    generateWitness,
    unitTest: (tree, path, functionName, contract) => unitTest(tree, path, functionName, contract),
    claimTest: (tree, claim) => claimTest(tree, claim),
    complexityTest: (tree, path, functionName, contract) => complexityTest(tree, path, functionName, contract),
    complexity: complexityOf,
    smells: smellsOf,
    scan: scanSource,
  };
}

/** Node, the test runner and fast-check come with Slipway. So does the compiler, but as a package of its own for each platform. */
async function missingTools(): Promise<readonly MissingTool[]> {
  const oracle = openOracle({});
  try {
    await oracle.check();
    return [];
  } catch {
    return [{ tool: "tsc", neededFor: "the compile check", install: "npm install typescript, with optional dependencies" }];
  } finally {
    await oracle.close();
  }
}
