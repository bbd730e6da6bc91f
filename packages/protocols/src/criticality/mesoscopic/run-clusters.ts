import type { SourceTree } from "@slipway/languages/adapter";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import type { CriticalityRun } from "../criticality-run.ts";
import type { Lattice } from "../lattice/lattice.ts";
import { functionsToReinject, recordViolation, withHoles } from "./reinject.ts";
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
    const { path, text } = tested.test;
    const ran = await run.ctx.step(`cluster:${round}:${cluster.name}:${tested.claim}`, (signal) =>
      runTests({ ...tree, [path]: text }, [path], signal),
    );
    results.push({ tested, run: ran });
  }
  return clusterVerdict(results);
}

export type MesoscopicResult =
  | { readonly type: "pass"; readonly clusters: readonly string[] }
  | {
      readonly type: "fail";
      readonly cluster: string;
      readonly violatedClaims: readonly string[];
      /** Functions to write again. */
      readonly queued: readonly string[];
      /** With holes in their place. */
      readonly tree: SourceTree;
    };

export interface MesoscopicInput extends ClusterRun {
  readonly lattice: Pick<Lattice, "functions">;
  readonly clusters: readonly ClusterTests[];
  readonly onVerdict?: (cluster: string, verdict: ClusterVerdict, remaining: readonly string[]) => void;
}

/** Runs clusters one after another up to the first that fails. */
export async function runClusters(run: CriticalityRun, input: MesoscopicInput): Promise<MesoscopicResult> {
  const { clusters, lattice, tree, round, onVerdict } = input;
  const names = clusters.map(({ cluster }) => cluster.name);
  for (const [index, tests] of clusters.entries()) {
    const { cluster } = tests;
    const verdict = await runCluster(run, tests, input);
    const remaining = names.slice(index + 1);
    onVerdict?.(cluster.name, verdict, remaining);
    if (verdict.type === "pass") continue;
    const { violatedClaims } = verdict;
    await recordViolation(run, `violation:${round}:${cluster.name}`, cluster, violatedClaims);
    const queued = functionsToReinject(violatedClaims, cluster, lattice.functions);
    return { type: "fail", cluster: cluster.name, violatedClaims, queued, tree: withHoles(tree, queued, run.services.language) };
  }
  return { type: "pass", clusters: names };
}
