import type { SourceTree } from "@slipway/languages/adapter";
import type { TransformationCatalog, TransformationType } from "../catalog/catalog.ts";
import type { RiskLevel } from "../catalog/risk.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import { functionId } from "../lattice/lattice.ts";
import { analyseFunction, analyseTree, type AnalysedFunction, type Analysis, type GuardedPattern } from "./analyse.ts";
import { detectSmells, type ReportedSmells } from "./detect-smells.ts";
import { unmetCoverage, type UnmetTarget } from "./targets.ts";
import { tryPattern, type TrialOutcome } from "./try-pattern.ts";
import type { TransformVerifier } from "./verify-transform.ts";

export interface ReduceInput {
  readonly tree: SourceTree;
  readonly catalog: TransformationCatalog;
  readonly verify: TransformVerifier;
  /** The number of this visit of the phase in the run, from 1 (the default): part of the names of steps. */
  readonly visit?: number;
  /** Ids of functions that stay as they are. */
  readonly fixed?: readonly string[];
  /** Awaited; for the state that is shown while the phase runs. */
  readonly onProgress?: (progress: ReductionProgress) => Promise<void>;
}

export type ReductionProgress =
  | { readonly type: "analysing"; readonly pass: number }
  | { readonly type: "applying"; readonly function: string; readonly transformation: TransformationType; readonly beforeCode: string }
  | { readonly type: "verifying"; readonly function: string; readonly transformation: TransformationType; readonly afterCode: string }
  | { readonly type: TrialOutcome["type"]; readonly function: string; readonly transformation: TransformationType };

export interface AppliedPattern {
  readonly function: string;
  readonly pattern: string;
  readonly smell: string;
  readonly risk: RiskLevel;
}

export interface RevertedPattern extends AppliedPattern {
  readonly reason: string;
}

/** `satisfied`: no target exceeded, no smell. `exhausted`: no pattern is left to try. `diminishing_returns`: a pass accepted nothing. */
export type ReductionEnd = "satisfied" | "exhausted" | "diminishing_returns";

export interface ReduceResult {
  readonly tree: SourceTree;
  readonly ended: ReductionEnd;
  readonly passes: number;
  readonly accepted: readonly AppliedPattern[];
  readonly reverted: readonly RevertedPattern[];
  readonly guarded: readonly GuardedPattern[];
  readonly unmet: readonly UnmetTarget[];
  /** Smells that are left, as `FUNCTION: SMELL`. */
  readonly smells: readonly string[];
}

/** Unsuccessful trials of one function in one pass. */
const MAX_TRIALS = 3;
/** Functions that a pattern has added get no patterns that add more. */
const ADDS_FUNCTIONS = 3;

interface Reduction {
  tree: SourceTree;
  readonly attempted: Map<string, string[]>;
  readonly accepted: AppliedPattern[];
  readonly reverted: RevertedPattern[];
  readonly guardedByModel: GuardedPattern[];
}

/** Passes over all functions until nothing is left to improve, nothing is left to try, or a pass has accepted nothing. */
export async function reduceFunctions(run: CriticalityRun, input: ReduceInput): Promise<ReduceResult> {
  const { catalog, verify, visit = 1, fixed = [] } = input;
  const { targets } = run.config.mass_defect;
  const attempted = new Map(fixed.map((id) => [id, [...catalog.patternIds()]]));
  const state: Reduction = { tree: input.tree, attempted, accepted: [], reverted: [], guardedByModel: [] };
  const reported = new Map<string, ReportedSmells>();
  const analysis: Analysis = { language: run.services.language, catalog, targets, attempted: state.attempted, reported };
  const detect = async (pass: number) => {
    if (run.config.mass_defect.detect_smells) await detectSmells(run, catalog, state.tree, `${visit}.${pass}`, reported);
  };
  const decisions = await run.ledger.constraintBlock(`reduce:decisions:${visit}`);
  let passes = 0;
  await detect(passes);
  let ended = endOf(analyseTree(analysis, state.tree));
  while (ended === null) {
    passes++;
    const before = state.accepted.length;
    await input.onProgress?.({ type: "analysing", pass: passes });
    for (const { path, name } of analyseTree(analysis, state.tree))
      await reduceFunction(run, input, analysis, state, { path, name, decisions });
    await detect(passes);
    ended = endOf(analyseTree(analysis, state.tree)) ?? (state.accepted.length === before ? "diminishing_returns" : null);
  }
  const last = analyseTree(analysis, state.tree);
  const coverage =
    (await run.ctx.step(`reduce:coverage:${visit}`, async (signal) => verify.coverage?.(state.tree, signal) ?? null)) ?? null;
  return {
    tree: state.tree,
    ended,
    passes,
    accepted: state.accepted,
    reverted: state.reverted,
    guarded: [...last.flatMap(({ guarded }) => guarded), ...state.guardedByModel],
    unmet: [...last.flatMap(({ exceeded }) => exceeded), ...unmetCoverage(coverage, targets)],
    smells: last.flatMap(({ id, smells }) => smells.map(({ smellId }) => `${id}: ${smellId}`)),
  };
}

export function endOf(functions: readonly Pick<AnalysedFunction, "exceeded" | "smells" | "candidates">[]): ReductionEnd | null {
  if (functions.every(({ exceeded, smells }) => exceeded.length === 0 && smells.length === 0)) return "satisfied";
  return functions.every(({ candidates }) => candidates.length === 0) ? "exhausted" : null;
}

/** Tries patterns on one function, and analyses it again after each. */
async function reduceFunction(
  run: CriticalityRun,
  { verify, visit = 1, onProgress }: ReduceInput,
  analysis: Analysis,
  state: Reduction,
  { path, name, decisions }: { readonly path: string; readonly name: string; readonly decisions: string },
): Promise<void> {
  const id = functionId(path, name);
  for (let unsuccessful = 0; unsuccessful < MAX_TRIALS;) {
    const [transformation] = analyseFunction(analysis, state.tree, path, name).candidates;
    if (transformation === undefined) return;
    const { patternId: pattern, smell, risk } = transformation;
    const tried = state.attempted.get(id) ?? [];
    const trial = {
      tree: state.tree,
      id,
      path,
      name,
      transformation,
      number: `${visit}.${tried.length + 1}`,
      decisions,
      verify,
      onProgress,
    };
    const outcome = await tryPattern(run, trial);
    await onProgress?.({ type: outcome.type, function: id, transformation });
    state.attempted.set(id, [...tried, pattern]);
    if (outcome.type === "accepted") {
      state.tree = outcome.tree;
      state.accepted.push({ function: id, pattern, smell, risk });
      for (const added of outcome.added) state.attempted.set(functionId(path, added), addingPatterns(analysis));
      continue;
    }
    unsuccessful++;
    if (outcome.type === "guarded") state.guardedByModel.push({ function: id, pattern, guard: outcome.guard });
    else state.reverted.push({ function: id, pattern, smell, risk, reason: outcome.reason });
  }
}

function addingPatterns({ catalog }: Analysis): string[] {
  return catalog.patternIds().filter((id) => (catalog.getPattern(id)?.risk ?? 0) >= ADDS_FUNCTIONS);
}
