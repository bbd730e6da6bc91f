import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import type { FunctionContext, RatedSmell, TransformationCatalog, TransformationType } from "../catalog/catalog.ts";
import { functionId, parseSources } from "../lattice/lattice.ts";
import { reportedIn, type ReportedSmells } from "./detect-smells.ts";
import { guardAgainst } from "./guards.ts";
import { exceededTargets, type ReductionTargets, type UnmetTarget } from "./targets.ts";

export interface GuardedPattern {
  readonly function: string;
  readonly pattern: string;
  readonly guard: string;
}

/** One function as static analysis sees it now. */
export interface AnalysedFunction {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly smells: readonly RatedSmell[];
  readonly exceeded: readonly UnmetTarget[];
  /** Patterns to try, in order. */
  readonly candidates: readonly TransformationType[];
  readonly guarded: readonly GuardedPattern[];
}

export interface Analysis {
  readonly language: LanguageAdapter;
  readonly catalog: TransformationCatalog;
  readonly targets: ReductionTargets;
  /** Patterns tried on each function. */
  readonly attempted: ReadonlyMap<string, readonly string[]>;
  /** Smells that a model has found, by function. */
  readonly reported: ReadonlyMap<string, ReportedSmells>;
}

/** Measures every written function of the tree. */
export function analyseTree(analysis: Analysis, tree: SourceTree): AnalysedFunction[] {
  return [...parseSources(tree, analysis.language)].flatMap(([path, { functions }]) =>
    functions.filter(({ isHole }) => !isHole).map(({ name }) => analyseFunction(analysis, tree, path, name)),
  );
}

export function analyseFunction(
  { language, catalog, targets, attempted, reported }: Analysis,
  tree: SourceTree,
  path: string,
  name: string,
): AnalysedFunction {
  const id = functionId(path, name);
  const ast = language.parseAst(tree[path] ?? "");
  const reading = language.complexity(ast, name);
  const smells = catalog.rate([...language.smells(ast, name), ...reportedIn(reported, id, ast, name)]);
  const context: FunctionContext = {
    functionId: id,
    language: language.id,
    currentMetrics: reading,
    previouslyAttempted: attempted.get(id) ?? [],
  };
  const { start, end } = ast.functions.find((one) => one.name === name)?.body ?? { start: 0, end: 0 };
  const body = ast.text.slice(start, end);
  const chosen = catalog.selectPatterns(smells, context).map((transformation) => {
    const pattern = catalog.getPattern(transformation.patternId);
    return { transformation, guard: pattern === null ? null : guardAgainst(pattern, body, language.id) };
  });
  return {
    id,
    path,
    name,
    smells,
    exceeded: exceededTargets(id, reading, targets),
    candidates: chosen.filter(({ guard }) => guard === null).map(({ transformation }) => transformation),
    guarded: chosen.flatMap(({ transformation, guard }) =>
      guard === null ? [] : [{ function: id, pattern: transformation.patternId, guard }],
    ),
  };
}
