import { loadCatalog } from "../catalog/load-catalog.ts";
import { isCritical } from "../config/verifier.ts";
import { unitTestsOf } from "../injection/scene.ts";
import { reduceFunctions, type ReduceResult, type ReductionProgress } from "../mass-defect/reduce.ts";
import { reductionText } from "../mass-defect/summary.ts";
import type { StateKeeper } from "../state-keeper.ts";
import { shortName } from "../steps.ts";
import { nextRound, type Work } from "../work.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";
import { transformVerifier } from "./verifier.ts";

/** Reduces the code by patterns of the catalog, each verified by the tests of its risk, or reverted. */
export const massDefectPhase: PhaseWork = async (session, before) => {
  const work = nextRound(before, "massDefect");
  const { run, tools, keeper, show } = session;
  const { lattice, progress, clusters, rounds } = work;
  if (lattice === null || progress === null) throw new TypeError("Mass Defect begins after Mesoscopic.");
  const tests = { functions: lattice.functions.map(({ id }) => id), unit: unitTestsOf(run, lattice), clusters };
  const timeoutMs = run.config.orchestrator.mesoscopic_per_cluster_seconds * 1_000;
  const reduction = await reduceFunctions(run, {
    tree: progress.tree,
    catalog: (await loadCatalog()).catalog,
    verify: transformVerifier(tools, tests, timeoutMs),
    visit: rounds.massDefect,
    // A transformed body would no longer be the one that the verifier has seen.
    fixed: tests.functions.filter((id) => isCritical(run.config.verifier, id)),
    onProgress: (event) => enterTransform(keeper, event),
  });
  const done = { ...work, reduction };
  show(done);
  await complete(session, done, reduction);
  return done;
};

async function enterTransform(keeper: StateKeeper, event: ReductionProgress): Promise<void> {
  switch (event.type) {
    case "analysing":
      return;
    case "applying": {
      const transform = { targetFunction: event.function, transformation: event.transformation.patternId, beforeCode: event.beforeCode };
      return void (await keeper.advance({ transform }));
    }
    case "verifying":
      return void (await keeper.advance({ transformed: { targetFunction: event.function, afterCode: event.afterCode, testsToRun: [] } }));
    default: {
      const told = { text: `${event.transformation.patternId} on ${shortName(event.function)}: ${event.type}`, good: GOOD[event.type] };
      const state = keeper.current();
      const isVerifying = state.type === "active" && state.data.phase.subState.type === "verifyingSemantics";
      const tests = event.type === "accepted" ? "passed" : "failed";
      await keeper.advance(isVerifying ? { compile: "passed", tests } : { artifacts: ["skippedTransform"] }, told);
    }
  }
}

const GOOD = { accepted: true, reverted: false, guarded: null } as const;

async function complete({ keeper }: PhaseSession, work: Work, reduction: ReduceResult): Promise<void> {
  const { unmet, smells, ended } = reduction;
  const measured = unmet.flatMap(({ function: of, target, measured: value, limit }) =>
    value === null ? [] : [{ function: of ?? "(program)", metric: target, measured: value, limit }],
  );
  const escalations = work.progress?.records.filter(({ escalated }) => escalated).length ?? 0;
  const metrics = {
    violations: measured,
    smells: smells.length,
    untriedPatterns: ended === "exhausted" ? 0 : smells.length,
    acceptedInPass: ended === "diminishing_returns" ? 0 : null,
  };
  const completion = {
    finalArtifacts: { optimizedCode: "src", testSuite: "tests", coverageReport: "coverage" },
    summary: { cost: 0, durationMs: 0, escalations, unmetTargets: measured },
  };
  await keeper.advance({ metrics, completion }, { text: reductionText(reduction), good: unmet.length === 0 });
}
