import type { TestRun } from "@slipway/languages/typescript/test-run";
import { reopenFunctions } from "../injection/progress.ts";
import { deriveClusters } from "../mesoscopic/clusters.ts";
import { functionsToReinject, recordViolation } from "../mesoscopic/reinject.ts";
import { runCluster } from "../mesoscopic/run-clusters.ts";
import { synthesizeTests, type ClusterTests } from "../mesoscopic/synthesize-tests.ts";
import type { Facts } from "../machine/facts.ts";
import { UNDECIDED } from "../mesoscopic/verdict.ts";
import { nextRound, type Work } from "../work.ts";
import { functionFacts } from "./injection-steps.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";

/** Tests the claims of the specification, cluster by cluster, up to the first that is violated. */
export const mesoscopicPhase: PhaseWork = async (session, before) => {
  const { show } = session;
  let work = nextRound(before, "mesoscopic");
  work = { ...work, clusters: await clustersOf(session, work), passed: [], violated: [] };
  show(work);
  await announceTests(session, work.clusters);
  for (const [index, tests] of work.clusters.entries()) {
    const next = await clusterVerdict(session, work, tests, work.clusters.slice(index + 1));
    work = next.work;
    if (next.failed) return work;
  }
  return work;
};

/** The tests come from the specification and the lattice, so a second visit has the same. */
async function clustersOf({ run }: PhaseSession, { specification, lattice, clusters, rounds }: Work): Promise<readonly ClusterTests[]> {
  if (specification === null || lattice === null) throw new TypeError("Mesoscopic begins after Injection.");
  if (clusters.length > 0) return clusters;
  const derived = deriveClusters(specification.spec, lattice.functions);
  const made: ClusterTests[] = [];
  for (const cluster of derived.clusters)
    made.push(await synthesizeTests(run, { spec: specification.spec, lattice, cluster, round: rounds.mesoscopic }));
  return made;
}

function clusterFacts(all: readonly ClusterTests[], generated: number, more: Partial<NonNullable<Facts["clusters"]>> = {}): Facts {
  const definitions = all.map(({ cluster: { name, modules, claims } }) => ({ name, modules: [...modules], claims: [...claims] }));
  const names = definitions.map(({ name }) => name);
  return {
    clusters: {
      definitions,
      testsGenerated: names.slice(0, generated),
      remaining: names.slice(1),
      testsRun: 0,
      testsFailed: 0,
      verdict: null,
      ...more,
    },
  };
}

async function announceTests({ keeper }: PhaseSession, clusters: readonly ClusterTests[]): Promise<void> {
  for (let generated = 1; generated < clusters.length; generated++) await keeper.advance(clusterFacts(clusters, generated));
  const count = clusters.flatMap(({ tests }) => tests).length;
  await keeper.advance(clusterFacts(clusters, clusters.length), { text: `${count} claims have tests`, good: null });
}

/** Lists claims that this visit could not decide as untested; a later visit tests them again. */
function withUndecided(tests: ClusterTests, undecided: readonly string[]): ClusterTests {
  const untested = tests.untested.filter(({ reason }) => reason !== UNDECIDED);
  return { ...tests, untested: [...untested, ...undecided.map((claim) => ({ claim, reason: UNDECIDED }))] };
}

/** Runs one cluster. A violation puts holes in place of the functions that refer to its claims. */
async function clusterVerdict(
  session: PhaseSession,
  work: Work,
  tests: ClusterTests,
  after: readonly ClusterTests[],
): Promise<{ work: Work; failed: boolean }> {
  const { run, keeper, tools, show } = session;
  const { progress, lattice, clusters, rounds } = work;
  if (progress === null || lattice === null) throw new TypeError("Mesoscopic begins after Injection.");
  const { name } = tests.cluster;
  const timeoutMs = run.config.orchestrator.mesoscopic_per_cluster_seconds * 1_000;
  const runTests = (tree: typeof progress.tree, files: readonly string[], signal: AbortSignal): Promise<TestRun> =>
    tools.runTests(tree, files, { signal, timeoutMs });
  const verdict = await runCluster(run, tests, { tree: progress.tree, runTests, round: rounds.mesoscopic });
  const claims = tests.tests.map(({ claim }) => claim);
  const violated = verdict.type === "fail" ? [...verdict.violatedClaims] : [];
  const undecided = verdict.undecidedClaims ?? [];
  const judged = {
    ...work,
    clusters: clusters.map((one) => (one.cluster.name === name ? withUndecided(one, undecided) : one)),
    passed: [...work.passed, ...claims.filter((claim) => !violated.includes(claim) && !undecided.includes(claim))],
    violated: [...work.violated, ...violated],
  };
  const remaining = after.map(({ cluster }) => cluster.name);
  const recorded = verdict.type === "pass" ? { type: "pass" as const } : { type: "fail" as const, violatedClaims: violated };
  const facts = clusterFacts(clusters, clusters.length, {
    remaining,
    testsRun: claims.length,
    testsFailed: violated.length,
    verdict: recorded,
  });
  const told =
    violated.length === 0
      ? {
          text: `${name}: its claims hold${undecided.length === 0 ? "" : `; not decided: ${undecided.join(", ")}`}`,
          good: undecided.length === 0 ? true : null,
        }
      : { text: `${name} violates ${violated.join(", ")}`, good: false };
  show(judged);
  await keeper.advance(facts, told);
  if (violated.length === 0) {
    await keeper.advance(facts);
    return { work: judged, failed: false };
  }
  await recordViolation(run, `violation:${rounds.mesoscopic}:${name}`, tests.cluster, violated);
  const queued = functionsToReinject(violated, tests.cluster, lattice.functions);
  const reopened = reopenFunctions(progress, queued, run.services.language, rounds.injection + 1);
  const next = { ...judged, progress: reopened };
  show(next);
  await keeper.advance({ functions: functionFacts(reopened) }, { text: `${queued.length} functions are written again`, good: null });
  return { work: next, failed: true };
}
