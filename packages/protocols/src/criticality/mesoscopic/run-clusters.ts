import type { SourceTree } from "@slipway/languages/adapter";
import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { CriticalityRun } from "../criticality-run.ts";
import type { ClusterTests } from "./synthesize-tests.ts";
import { clusterVerdict, type ClusterVerdict } from "./verdict.ts";

/** Runs test files in a folder with this tree. Called inside a step: it must not use the run's ctx. */
export type RunTestFiles = (tree: SourceTree, files: readonly string[], signal: AbortSignal) => Promise<TestRun>;

export interface ClusterRun {
  /** The implemented code. */
  readonly tree: SourceTree;
  readonly runTests: RunTestFiles;
  readonly round: number;
}

/** Runs the tests of a cluster, one claim after another, so that each result belongs to one claim. */
export async function runCluster(
  run: CriticalityRun,
  { cluster, tests }: ClusterTests,
  { tree, runTests, round }: ClusterRun,
): Promise<ClusterVerdict> {
  const results = [];
  for (const tested of tests) {
    const ran = await run.ctx.step(`cluster:${round}:${cluster.name}:${tested.claim}`, (signal) =>
      runTests({ ...tree, ...testFiles([tested.test]) }, [tested.test.path], signal),
    );
    results.push({ tested, run: ran });
  }
  return clusterVerdict(results);
}
