import type { LanguageAdapter } from "@slipway/languages/adapter";
import { printContract } from "@slipway/languages/micro-contracts/print";
import { functionId, moduleOf, parseSources, type Lattice } from "../lattice/lattice.ts";

/** What a verifier may know of modules: signatures with contracts of their exported functions, and no body. */
export function publicInterface(
  language: LanguageAdapter,
  { tree, functions }: Pick<Lattice, "tree" | "functions">,
  modules: readonly string[],
): string {
  const exported = new Set(
    [...parseSources(tree, language)].flatMap(([path, source]) =>
      source.functions.filter(({ isExported }) => isExported).map(({ name }) => functionId(path, name)),
    ),
  );
  return functions
    .filter(({ id }) => exported.has(id) && modules.includes(moduleOf(id)))
    .map(({ id, signature, contract }) => [id, signature, ...printContract(contract).split("\n")].join("\n  "))
    .join("\n\n");
}
