import type { SourceTree } from "@slipway/languages/adapter";
import type { CriticalityRun } from "../criticality-run.ts";
import { TIERS, type InjectionTier } from "../escalation/attempts.ts";
import type { BatchOutcome } from "../injection/inject-batch.ts";
import { commitOutcome, startInjection } from "../injection/progress.ts";
import { unitTestsOf } from "../injection/scene.ts";
import { injectWave, planWaves } from "../injection/wave.ts";
import type { Lattice } from "../lattice/lattice.ts";
import type { CodeTools } from "../workspace/code-tools.ts";

/** How far Injection got with a case. */
export interface InjectedCase {
  /** With every accepted body. */
  readonly tree: SourceTree;
  readonly functions: number;
  readonly attempts: number;
  readonly tier: InjectionTier;
  /** Why a function could not be written; null if all are. */
  readonly failure: string | null;
}

/**
 * Fills the holes of a case wave by wave. The rate breakers are not asked: they judge a skeleton, and this one is given. Where a run would
 * wait for a person or return to Lattice, the case has failed.
 */
export async function injectCase(run: CriticalityRun, tools: CodeTools, lattice: Lattice, first: InjectionTier): Promise<InjectedCase> {
  const { tree: skeleton, functions } = lattice;
  // The worker's tier is the usual one, in which routing may choose a higher tier for a function.
  const from = first === "worker" ? {} : { firstTier: first };
  const waves = planWaves({ run, tools, tests: unitTestsOf(run, lattice), skeleton, ...from }, functions);
  const outcomes: BatchOutcome[] = [];
  let progress = startInjection(lattice, 1);
  let ended: BatchOutcome | undefined;
  while (ended === undefined) {
    const wave = await injectWave(waves, progress);
    if (wave.length === 0) break;
    for (const outcome of wave) progress = commitOutcome(progress, outcome, run.config.circuit_breaker, run.services.language).progress;
    outcomes.push(...wave);
    ended = wave.find(({ bodies }) => bodies === null);
  }
  const attempts = outcomes.flatMap((outcome) => outcome.attempts);
  const highest = Math.max(0, ...attempts.map(({ currentTier }) => TIERS.indexOf(currentTier)));
  return {
    tree: progress.tree,
    functions: functions.length,
    attempts: attempts.length,
    tier: TIERS[highest] ?? first,
    failure: ended === undefined ? null : failureText(ended),
  };
}

function failureText({ batch, attempts }: BatchOutcome): string {
  const names = batch.map((id) => id.split("#")[1] ?? id).join(", ");
  return `${names} could not be written in ${attempts.length} attempts: ${attempts.at(-1)?.failure?.type ?? "unknown"} failure`;
}
