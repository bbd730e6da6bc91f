import type { SourceTree } from "@slipway/languages/adapter";
import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { CriticalityRun } from "./criticality-run.ts";
import { unitTestsOf } from "./injection/scene.ts";
import { testsInScope } from "./phases/verifier.ts";
import type { Work } from "./work.ts";

/** Everything that is delivered: source, tests, specification and claims. */
export function programFiles(run: CriticalityRun, { lattice, reduction, clusters, specification }: Work): SourceTree {
  if (lattice === null || reduction === null || specification === null) throw new TypeError("The program is not complete.");
  const functions = lattice.functions.map(({ id }) => id);
  const tests = testsInScope({ functions, unit: unitTestsOf(run, lattice), clusters }, { type: "full_test_suite" });
  const specPath = run.config.project.spec_path;
  return {
    ...reduction.tree,
    ...testFiles(tests),
    [specPath]: specification.specText,
    [specPath.replace(/[^/]*$/, "claims.toml")]: specification.claimsText,
  };
}
