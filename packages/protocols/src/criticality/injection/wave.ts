import type { LatticeFunction } from "../lattice/lattice.ts";
import { ModelBlocked } from "../phases/phase-left.ts";
import { injectBatch, type BatchOutcome } from "./inject-batch.ts";
import { nextWave, planInjection, type InjectionPlan } from "./order.ts";
import { withPrerequisites } from "./prerequisites.ts";
import { injectedIds, type InjectionProgress } from "./progress.ts";
import { sceneOf, type SceneParts } from "./scene.ts";

/** What the waves of a phase share. */
export interface WaveParts extends SceneParts {
  readonly plan: InjectionPlan;
  readonly byId: ReadonlyMap<string, LatticeFunction>;
}

export function planWaves(parts: SceneParts, functions: readonly LatticeFunction[]): WaveParts {
  return { ...parts, plan: planInjection(withPrerequisites(functions)), byId: new Map(functions.map((one) => [one.id, one])) };
}

/**
 * Works on the next functions in parallel, all of them with every function that they or their tests call injected. Outcomes are in the deterministic order;
 * they are committed one at a time. Empty if nothing is left.
 */
export async function injectWave(parts: WaveParts, progress: InjectionProgress): Promise<BatchOutcome[]> {
  const { run, plan, byId } = parts;
  const settled = injectedIds(progress);
  for (const { id, failed } of progress.records) if (failed) settled.add(id);
  const limit = run.config.orchestrator.max_parallel_injections;
  const wave = nextWave(plan, settled, limit);
  const scene = sceneOf(parts, progress.tree, progress.visit);
  // Of a cycle that is open again in part, the other members stay as they are.
  const batches = wave.map((ids) => ids.filter((id) => !settled.has(id)).flatMap((id) => byId.get(id) ?? []));
  return run.ctx.all(
    batches.map((batch) => () => injectBatch(run, scene, batch).catch((error: unknown) => blockedOutcome(batch, error))),
    { limit },
  );
}

/** The other functions of the wave go on. */
function blockedOutcome(batch: readonly LatticeFunction[], error: unknown): BatchOutcome {
  if (!(error instanceof ModelBlocked)) throw error;
  return { batch: batch.map(({ id }) => id), attempts: [], bodies: null, ended: null, blocked: error.reason };
}
