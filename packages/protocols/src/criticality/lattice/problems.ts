import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageAdapter, ParsedSource, SourceProblem, SourceTree } from "@slipway/languages/adapter";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import type { SystemSpec } from "../spec/schema.ts";
import { claimsOf, functionId, isSource, sourcePaths, type LatticeFunction } from "./lattice.ts";
import type { Scaffold } from "./scaffold.ts";

const FOLDERS = ["src/domain/", "src/services/"];

/** The part of a specification that a skeleton is compared with. */
export type SpecifiedParts = Pick<SystemSpec, "claims" | "features">;

/** What keeps a scaffold from becoming a tree: paths outside its folders, files of features that do not belong there. */
export function scaffoldProblems({ files, calls }: Scaffold, spec: SpecifiedParts, language: LanguageAdapter, taken: ReadonlySet<string>) {
  const problems: SourceProblem[] = [];
  const problem = (file: string | null, message: string) => void problems.push({ file, line: 1, column: 1, message });
  const seen = new Set<string>();
  for (const { path, feature } of files) {
    if (!FOLDERS.some((folder) => path.startsWith(folder)) || !isSource(path, language) || path.split("/").includes(".."))
      problem(path, `A file of the skeleton is below ${FOLDERS.join(" or ")} and ends in ${language.extension}.`);
    if (seen.has(path)) problem(path, "The file is listed twice.");
    if (taken.has(path)) problem(path, "The repository has this file already. Choose another name.");
    seen.add(path);
    if (feature === null) continue;
    const classification = spec.features[feature]?.classification;
    if (classification === undefined) problem(path, `The specification has no feature ${JSON.stringify(feature)}.`);
    if (classification === "bolt-on") problem(path, `${feature} is a bolt-on: it has no code in the skeleton.`);
  }
  if (files.length === 0) problem(null, "The skeleton has no files.");
  for (const { function: id } of calls) if (!id.includes("#")) problem(null, `calls: ${JSON.stringify(id)} is not PATH#NAME.`);
  return problems;
}

export interface ReadLattice {
  readonly functions: readonly LatticeFunction[];
  readonly problems: readonly SourceProblem[];
}

/** Reads the functions of a skeleton, and what its rules forbid: logic, holes without a contract, claims that nothing refers to. */
export function readLattice(tree: SourceTree, { files, calls }: Scaffold, spec: SpecifiedParts, language: LanguageAdapter): ReadLattice {
  const claims = new Set(Object.keys(spec.claims));
  const callsOf = new Map(calls.map(({ function: id, calls: called }) => [id, called]));
  const featureOf = new Map(files.map(({ path, feature }) => [path, feature]));
  const functions: LatticeFunction[] = [];
  const problems: SourceProblem[] = [];
  const parsed = parseAll(tree, language);
  if (!(parsed instanceof Map)) return { functions, problems: parsed };
  for (const [path, ast] of parsed) {
    problems.push(...language.latticeProblems(path, ast));
    for (const declared of ast.functions) {
      if (!declared.isHole) continue;
      const { name, signature, doc, docLine, line } = declared;
      const feature = featureOf.get(path) ?? null;
      if (feature !== null && spec.features[feature]?.classification === "foundational")
        problems.push({
          file: path,
          line,
          column: 1,
          message: `${feature} is foundational: ${name} must be a type or an extension point, not a hole.`,
        });
      if (doc === null)
        problems.push({ file: path, line, column: 1, message: `${name} has no contract: write clauses in its doc comment.` });
      const contract = parseContract(doc ?? "", docLine, claims);
      if (doc !== null) problems.push(...contract.problems.map((found) => ({ file: path, ...found })));
      const id = functionId(path, name);
      functions.push({ id, path, name, signature, contract: { clauses: contract.clauses }, calls: callsOf.get(id) ?? [] });
    }
  }
  return { functions, problems: [...problems, ...unlinked(functions, spec), ...unknownCalls(functions, callsOf)] };
}

/** The source files by path, or what does not parse: then nothing else can be said about a skeleton. */
function parseAll(tree: SourceTree, language: LanguageAdapter): Map<string, ParsedSource> | readonly SourceProblem[] {
  const files = new Map<string, ParsedSource>();
  const problems: SourceProblem[] = [];
  for (const path of sourcePaths(tree, language)) {
    try {
      files.set(path, language.parseAst(tree[path] ?? ""));
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.code !== "source_syntax") throw error;
      const { line = 1, column = 1 } = error.details as Partial<SourceProblem>;
      problems.push({ file: path, line, column, message: error.message });
    }
  }
  return problems.length === 0 ? files : problems;
}

function unlinked(functions: readonly LatticeFunction[], spec: SpecifiedParts): SourceProblem[] {
  const linked = new Set(functions.flatMap(({ contract }) => claimsOf(contract)));
  return Object.entries(spec.claims)
    .filter(([id, { testable }]) => testable && !linked.has(id))
    .map(([id]) => ({
      file: null,
      line: 1,
      column: 1,
      message: `No contract has CLAIM_REF: ${id}, which the specification marks as testable.`,
    }));
}

function unknownCalls(functions: readonly LatticeFunction[], callsOf: ReadonlyMap<string, readonly string[]>): SourceProblem[] {
  const known = new Set(functions.map(({ id }) => id));
  const named = [...callsOf].flatMap(([id, called]) => [id, ...called]);
  return [...new Set(named)]
    .filter((id) => !known.has(id))
    .map((id) => ({ file: null, line: 1, column: 1, message: `calls: the skeleton has no function ${id} with a hole.` }));
}
