import type { CriticalityRun } from "../criticality-run.ts";
import type { Lattice } from "../lattice/lattice.ts";
import { injectBatch, type BatchOutcome } from "./inject-batch.ts";
import { injectionOrder, nextWave } from "./order.ts";
import { withPrerequisites } from "./prerequisites.ts";
import { injectedIds, type InjectionProgress } from "./progress.ts";
import { sceneOf, type UnitTests } from "./scene.ts";
import type { CodeTools } from "../workspace/code-tools.ts";

/**
 * Works on the next functions in parallel, all of them with every function that they or their tests call injected. Outcomes are in the deterministic order;
 * they are committed one at a time. Empty if nothing is left.
 */
export async function injectWave(
  run: CriticalityRun,
  tools: CodeTools,
  tests: UnitTests,
  { functions }: Pick<Lattice, "functions">,
  progress: InjectionProgress,
): Promise<BatchOutcome[]> {
  const byId = new Map(functions.map((one) => [one.id, one]));
  const settled = injectedIds(progress);
  for (const { id, failed } of progress.records) if (failed) settled.add(id);
  const limit = run.config.orchestrator.max_parallel_injections;
  const nodes = withPrerequisites(functions);
  const wave = nextWave(injectionOrder(nodes), new Map(nodes.map((node) => [node.id, node])), settled, limit);
  const scene = sceneOf(run, tools, tests, progress.tree, progress.visit);
  // Of a cycle that is open again in part, the other members stay as they are.
  const batches = wave.map((ids) => ids.filter((id) => !settled.has(id)).flatMap((id) => byId.get(id) ?? []));
  return run.ctx.all(
    batches.map((batch) => () => injectBatch(run, scene, batch)),
    { limit },
  );
}
