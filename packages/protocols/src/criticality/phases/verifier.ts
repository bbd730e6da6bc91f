import type { GeneratedTest, SourceTree } from "@slipway/languages/adapter";
import { shareReached } from "@slipway/languages/analysis/coverage";
import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { UnitTests } from "../injection/scene.ts";
import { moduleOf, WITNESS_FOLDER } from "../lattice/lattice.ts";
import type { ScopeResult, TransformVerifier, VerificationScope } from "../mass-defect/verify-transform.ts";
import type { ClusterTests } from "../mesoscopic/synthesize-tests.ts";
import type { CodeTools } from "../workspace/code-tools.ts";

/** Every test of the program: unit tests by function, tests of claims by cluster. */
export interface ProgramTests {
  readonly functions: readonly string[];
  readonly unit: UnitTests;
  readonly clusters: readonly ClusterTests[];
}

/** Test files in the scope, without duplicates. */
export function testsInScope({ functions, unit, clusters }: ProgramTests, scope: VerificationScope): GeneratedTest[] {
  const units = (ids: readonly string[]) => ids.flatMap((id) => unit.of(id) ?? []);
  const claims = (wanted: (modules: readonly string[]) => boolean) =>
    clusters.filter(({ cluster }) => wanted(cluster.modules)).flatMap(({ tests }) => tests.map(({ test }) => test));
  const found = () => {
    switch (scope.type) {
      case "unit_tests":
        return units([scope.function]);
      case "integration_tests":
        return claims((modules) => modules.includes(moduleOf(scope.path)));
      case "full_test_suite":
        return [...units(functions), ...claims(() => true)];
    }
  };
  return [...new Map(found().map((test) => [test.path, test])).values()];
}

/** Verifies a transformation with the run's compiler and tests. */
export function transformVerifier(tools: CodeTools, tests: ProgramTests, timeoutMs: number): TransformVerifier {
  return {
    compile: (tree, path) => tools.compile(tree, path),
    tests: async (tree, scope, signal) => {
      const wanted = testsInScope(tests, scope);
      if (wanted.length === 0) return { passed: true, ran: 0, detail: "" };
      const ran = await tools.runTests(
        withTests(tree, wanted),
        wanted.map(({ path }) => path),
        { signal, timeoutMs, coverage: true },
      );
      return scopeResult(ran, wanted);
    },
    coverage: async (tree, signal) => {
      const wanted = testsInScope(tests, { type: "full_test_suite" });
      if (wanted.length === 0) return null;
      const files = wanted.map(({ path }) => path);
      const { coverage, broken } = await tools.runTests(withTests(tree, wanted), files, { signal, timeoutMs, coverage: true });
      if (coverage === undefined || broken !== null) return null;
      const share = shareReached(coverage.filter(({ path }) => !path.startsWith(WITNESS_FOLDER)));
      return share === null ? null : Math.floor(share * 10_000) / 10_000;
    },
  };
}

export function withTests(tree: SourceTree, tests: readonly GeneratedTest[]): SourceTree {
  return { ...tree, ...testFiles(tests) };
}

/** Passes only if every generated test ran and passed, or skipped itself. */
function scopeResult({ tests, skipped, broken, coverage }: TestRun, wanted: readonly GeneratedTest[]): ScopeResult {
  const failed = tests.find(({ result }) => result === "FAIL");
  const declared = wanted.flatMap((file) => file.tests).length;
  const passed = broken === null && failed === undefined && tests.length + skipped.length >= declared;
  const detail =
    broken ?? (failed === undefined ? `${tests.length} of ${declared} tests ran` : `${failed.name}: ${failed.error?.message ?? "failed"}`);
  return { passed, ran: tests.length, detail: passed ? "" : detail, ...(coverage === undefined ? {} : { coverage }) };
}
