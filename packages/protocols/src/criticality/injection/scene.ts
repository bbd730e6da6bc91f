import type { GeneratedTest, SourceTree } from "@slipway/languages/adapter";
import type { CriticalityRun } from "../criticality-run.ts";
import type { InjectionTier } from "../escalation/attempts.ts";
import type { Lattice, LatticeFunction } from "../lattice/lattice.ts";
import { route, signatureComplexity } from "../routing/route.ts";
import { estimateTokens } from "../routing/tokens.ts";
import type { CodeTools } from "../workspace/code-tools.ts";
import { shapeOf } from "./signature-shape.ts";
import type { BatchScene } from "./inject-batch.ts";

export interface SceneParts {
  readonly run: CriticalityRun;
  readonly tools: CodeTools;
  readonly tests: UnitTests;
  /** Without bodies: definitions come from here, because this tree stays the same and is parsed once. */
  readonly skeleton: SourceTree;
  /** Where every function begins; by default routing decides. */
  readonly firstTier?: InjectionTier;
}

/** The scene of a wave over a tree: the lattice with the bodies accepted so far. */
export function sceneOf({ run, tools, tests, skeleton, firstTier }: SceneParts, tree: SourceTree, visit: number): BatchScene {
  const { language } = tools;
  const definitions = ({ path, name, calls }: LatticeFunction, depth: number) =>
    language.typeDefinitions(skeleton, path, name, depth, calls);
  const timeoutMs = run.config.orchestrator.injection_per_function_seconds * 1_000;
  return {
    tree,
    visit,
    testOf: tests.of,
    definitions,
    firstTier: (target) => firstTier ?? routedTier(target, definitions(target, 1)),
    checks: async (signal) => ({
      language,
      folders: tools.folders,
      turns: tools.turns,
      oracle: () => tools.oracleFor(tree),
      dropOracle: tools.dropOracle,
      run: { sandbox: await tools.sandbox(), signal, timeoutMs },
    }),
  };
}

export interface UnitTests {
  /** The unit tests of a function, from its contract alone; null if no clause can be tested. */
  readonly of: (id: string) => GeneratedTest | null;
}

/** Made on first use: a lattice may have thousands of functions. */
export function unitTestsOf({ services: { language } }: CriticalityRun, { tree, functions }: Lattice): UnitTests {
  const byId = new Map(functions.map((one) => [one.id, one]));
  const made = new Map<string, GeneratedTest | null>();
  return {
    of(id) {
      const target = byId.get(id);
      if (target === undefined) return null;
      const test = made.get(id) ?? language.unitTest(tree, target.path, target.name, target.contract);
      made.set(id, test);
      return test;
    },
  };
}

/** A function that does not fit the worker starts with a larger model, which is not an escalation. */
function routedTier(target: LatticeFunction, definitions: string): InjectionTier {
  const { role } = route({
    estimatedInputTokens: estimateTokens(definitions + target.signature),
    estimatedOutputTokens: 0,
    taskType: "implement",
    signatureComplexity: signatureComplexity(shapeOf(target.signature)),
    dependencyCount: target.calls.length,
    contractCount: target.contract.clauses.length,
    priorEscalations: 0,
    moduleEscalationRate: 0,
  });
  return role === "structurer_model" ? "fallback1" : "worker";
}
