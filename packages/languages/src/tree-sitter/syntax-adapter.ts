import type { LanguageAdapter } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { injectBody } from "./inject.ts";
import { latticeProblems } from "./lattice.ts";
import { measure } from "./metrics.ts";
import { scanSource, type ScanTable } from "./scan.ts";
import { detectSmells } from "./smells.ts";
import { parseSource } from "./source.ts";
import { typeDefinitions } from "./type-definitions.ts";

type SyntaxPart = Pick<
  LanguageAdapter,
  "hole" | "parseAst" | "injectBody" | "emitCode" | "latticeProblems" | "typeDefinitions" | "complexity" | "smells" | "scan"
>;

/** The part of an adapter that needs the syntax tree only. */
export function syntaxAdapter(grammar: Grammar, files: RegExp, scanTable: ScanTable): SyntaxPart {
  return {
    hole: grammar.hole,
    parseAst: (source) => parseSource(grammar, source),
    injectBody: (ast, functionName, body) => injectBody(grammar, ast, functionName, body),
    emitCode: ({ text }) => text,
    latticeProblems: (path, ast) => latticeProblems(grammar, path, ast),
    typeDefinitions: (tree, path, functionName, depth, callable = []) =>
      typeDefinitions(grammar, files, tree, { path, function: functionName, depth, callable }),
    complexity: (ast, functionName) => measure(grammar, ast, functionName),
    smells: (ast, functionName) => detectSmells(grammar, ast, functionName),
    scan: (ast, functionName) => scanSource(grammar, scanTable, ast, functionName),
  };
}
