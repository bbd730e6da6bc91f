import type { ParsedSource, SourceTree } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { typesIn } from "./lattice.ts";
import { functionNamed, parseSource } from "./source.ts";

const MOST_SIGNATURES = 40;

/** Which function, how many steps from type to type, and the functions that it may call, as `PATH#NAME`. */
export interface DefinitionRequest {
  readonly path: string;
  readonly function: string;
  readonly depth: number;
  readonly callable: readonly string[];
}

/**
 * The types that a function names, those that they name, down to a depth, the signatures of the functions beside it and of those its
 * documentation names, and signatures with contracts of the functions that it may call.
 */
export function typeDefinitions(grammar: Grammar, extensions: RegExp, tree: SourceTree, place: DefinitionRequest): string {
  const sources = Object.entries(tree).flatMap(([path, text]) => (extensions.test(path) ? parsed(grammar, path, text) : []));
  const own = sources.find(({ path }) => path === place.path);
  if (own === undefined) return "";
  const { source } = functionNamed(grammar, own.ast, place.function);
  const types = new Map(sources.flatMap(({ ast }) => [...typesIn(grammar, ast)]));
  const functions = sources.flatMap(({ ast, path }) => ast.functions.map((one) => ({ ...one, path })));
  const callable = functions.filter((one) => place.callable.includes(`${one.path}#${one.name}`));
  const called = callable.map(({ signature }) => signature).join(" ");
  const words = wordsIn(`${source.signature} ${source.doc ?? ""} ${source.name.split(".").slice(0, -1).join(" ")} ${called}`);
  const found = closure(types, words, place.depth);
  const signatures = functions
    .filter((one) => one.name !== source.name && !one.name.includes(".") && !callable.includes(one))
    .filter((one) => one.path === place.path || words.has(one.name))
    .slice(0, MOST_SIGNATURES)
    .map((one) => one.signature);
  const contracts = callable.map(({ doc, signature }) => [...commented(grammar, doc), signature].join("\n"));
  return [...found, ...contracts, ...signatures].join("\n\n");
}

function commented({ id }: Grammar, doc: string | null): string[] {
  const mark = id === "python" ? "#" : "//";
  return doc === null ? [] : doc.split("\n").map((line) => `${mark} ${line}`.trimEnd());
}

function parsed(grammar: Grammar, path: string, text: string): { readonly path: string; readonly ast: ParsedSource }[] {
  try {
    return [{ path, ast: parseSource(grammar, text) }];
  } catch {
    return [];
  }
}

function wordsIn(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_]\w*/g));
}

function closure(types: ReadonlyMap<string, string>, words: ReadonlySet<string>, depth: number): string[] {
  const found = new Map<string, string>();
  let wanted: ReadonlySet<string> = words;
  for (let level = 0; level < depth && wanted.size > 0; level++) {
    const texts = [...wanted].flatMap((name) => {
      const text = found.has(name) ? undefined : types.get(name);
      if (text === undefined) return [];
      found.set(name, text);
      return [text];
    });
    wanted = wordsIn(texts.join("\n"));
  }
  return [...found.values()];
}
