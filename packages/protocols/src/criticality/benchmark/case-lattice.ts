import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { readLattice } from "../lattice/problems.ts";
import type { Lattice } from "../lattice/lattice.ts";
import { projectTemplate } from "../lattice/target.ts";
import type { BenchmarkCase } from "./suite/case.ts";

const NOTHING_SPECIFIED = { claims: {}, features: {} };

/** The skeleton of a case as Injection gets it. */
export function caseLattice({ id, files, calls }: BenchmarkCase, language: LanguageAdapter): Lattice {
  const tree: SourceTree = { ...projectTemplate(language, id.replace("/", "-")), ...files };
  const scaffold = {
    files: Object.entries(files).map(([path, text]) => ({ path, text, feature: null })),
    calls: Object.entries(calls).map(([name, called]) => ({ function: name, calls: [...called] })),
  };
  const { functions, problems } = readLattice(tree, scaffold, NOTHING_SPECIFIED, language);
  if (problems.length > 0) throw new TypeError(`The case ${id} is not a skeleton: ${problems.map(({ message }) => message).join(" ")}`);
  return { tree, functions, witnesses: [] };
}

export function hiddenTestPath({ id }: BenchmarkCase): string {
  return `tests/hidden/${id.replace("/", "-")}.test.ts`;
}
