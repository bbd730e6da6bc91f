import type { ExpectedTests } from "@slipway/kernel/change/judge/expected-tests/expect-tests";
import type { GeneratedTest, SourceTree } from "@slipway/languages/adapter";
import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { CriticalityRun } from "./criticality-run.ts";
import { unitTestsOf } from "./injection/scene.ts";
import { testCommand } from "./lattice/test-command.ts";
import { testsInScope } from "./phases/verifier.ts";
import type { Work } from "./work.ts";

/** A finished program. */
export interface FinishedProgram {
  /** Everything that is delivered: source, tests, specification and claims. */
  readonly files: SourceTree;
  /** The tests that the repository's gate has to run; null if no contract and no claim could be tested. */
  readonly tests: ExpectedTests | null;
}

export function programOf(run: CriticalityRun, { lattice, reduction, clusters, specification }: Work): FinishedProgram {
  if (lattice === null || reduction === null || specification === null) throw new TypeError("The program is not complete.");
  const functions = lattice.functions.map(({ id }) => id);
  const tests = testsInScope({ functions, unit: unitTestsOf(run, lattice), clusters }, { type: "full_test_suite" });
  const specPath = run.config.project.spec_path;
  const files = {
    ...reduction.tree,
    ...testFiles(tests),
    [specPath]: specification.specText,
    [specPath.replace(/[^/]*$/, "claims.toml")]: specification.claimsText,
  };
  return { files, tests: expectedTests(tests, testCommand(run.services.language.id, files)) };
}

function expectedTests(tests: readonly GeneratedTest[], command: readonly string[]): ExpectedTests | null {
  const files = tests.filter((file) => file.tests.length > 0).map((file) => ({ path: file.path, titles: [...file.tests] }));
  return files.length === 0 ? null : { files, command: [...command] };
}
