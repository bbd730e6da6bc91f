import type { LanguageAdapter, ParsedSource, SourceTree } from "@slipway/languages/adapter";
import type { MicroContract } from "@slipway/languages/micro-contracts/contract";
import type { WitnessDefinition, WitnessLevel } from "@slipway/languages/witnesses/definition";

/** Files below it are generated from witness definitions, and may hold validation. */
export const WITNESS_FOLDER = "src/witnesses/";

/** A function of the skeleton. */
export interface LatticeFunction {
  /** `PATH#NAME`. */
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly signature: string;
  readonly contract: MicroContract;
  /** Ids of functions of the skeleton that it needs. */
  readonly calls: readonly string[];
}

/** A compilable skeleton without logic. */
export interface Lattice {
  readonly tree: SourceTree;
  readonly functions: readonly LatticeFunction[];
  readonly witnesses: readonly WitnessTier[];
}

export interface WitnessTier {
  readonly name: string;
  readonly definition: WitnessDefinition;
  readonly level: WitnessLevel;
  readonly invariants: readonly { readonly id: string; readonly level: WitnessLevel }[];
}

export function functionId(path: string, name: string): string {
  return `${path}#${name}`;
}

/** The module of a path or function id: the path without its extension. */
export function moduleOf(pathOrId: string): string {
  return (pathOrId.split("#")[0] ?? pathOrId).replace(/\.[^./]+$/, "");
}

/** A function as the subject of an invocation, which is part of a cassette's file name: `domain.account.deposit`. */
export function subjectOf(id: string): string {
  return id
    .replace(/^src\//, "")
    .replace(/\.[^./#]+#/, ".")
    .replaceAll(/[^\w.]+/g, ".");
}

export function isSource(path: string, { extension }: Pick<LanguageAdapter, "extension">): boolean {
  return path.startsWith("src/") && path.endsWith(extension);
}

/** The claims that a contract refers to. */
export function claimsOf({ clauses }: MicroContract): string[] {
  return clauses.flatMap((clause) => (clause.kind === "CLAIM_REF" ? [clause.claim] : []));
}

/** Source files outside the witnesses, sorted. */
export function sourcePaths(tree: SourceTree, language: LanguageAdapter): string[] {
  return Object.keys(tree)
    .filter((path) => isSource(path, language) && !path.startsWith(WITNESS_FOLDER))
    .toSorted();
}

/** Parses every source file outside the witnesses. Throws `source_syntax`. */
export function parseSources(tree: SourceTree, language: LanguageAdapter): Map<string, ParsedSource> {
  return new Map(sourcePaths(tree, language).map((path) => [path, language.parseAst(tree[path] ?? "")]));
}

/** The tree with these bodies in place of holes. A body that cannot be injected is a bug: it was accepted before. */
export function withBodies(tree: SourceTree, bodies: ReadonlyMap<string, string>, language: LanguageAdapter): SourceTree {
  const changed: Record<string, string> = { ...tree };
  for (const [id, body] of bodies) {
    const [path = "", name = ""] = id.split("#");
    changed[path] = language.emitCode(language.injectBody(language.parseAst(changed[path] ?? ""), name, body));
  }
  return changed;
}

/** The ids of functions whose body is the hole marker. */
export function holesIn(tree: SourceTree, language: LanguageAdapter): string[] {
  return [...parseSources(tree, language)].flatMap(([path, { functions }]) =>
    functions.filter(({ isHole }) => isHole).map(({ name }) => functionId(path, name)),
  );
}

/** `lattice/lattice.json`: structure, contracts and witnesses for an editor. */
export function latticeJson({ functions, witnesses }: Lattice): string {
  const shown = functions.map(({ id, path, name, signature, contract, calls }) => ({
    id,
    path,
    name,
    signature,
    clauses: contract.clauses,
    calls,
  }));
  return `${JSON.stringify({ version: 1, functions: shown, witnesses: witnesses.map(({ definition, level }) => ({ ...definition, level })) }, null, 2)}\n`;
}

/** `lattice/witness-tiers.json`, for people. */
export function tierReport({ witnesses }: Pick<Lattice, "witnesses">): string {
  const tiers = witnesses.map(({ name, level, invariants }) => ({ witness: name, level, invariants }));
  return `${JSON.stringify({ witnesses: tiers }, null, 2)}\n`;
}
