import type { ComplexityReading } from "@slipway/languages/analysis/complexity";
import type { DetectedSmell } from "@slipway/languages/analysis/smells";
import type { LanguageAdapter, ParsedSource } from "@slipway/languages/adapter";
import { pythonGrammar } from "@slipway/languages/python/grammar";
import { injectBody as injectPython } from "@slipway/languages/tree-sitter/inject";
import { parseSource as parsePython } from "@slipway/languages/tree-sitter/source";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import { injectBody } from "@slipway/languages/typescript/source/inject-body";
import { parseSource } from "@slipway/languages/typescript/source/parse-source";

function bodyOf(ast: ParsedSource, name: string): string {
  const { start, end } = ast.functions.find((one) => one.name === name)?.body ?? { start: 0, end: 0 };
  return ast.text.slice(start, end);
}

/** Depth of braces, number of branches and lines: enough for tests, and easy to predict. */
function complexity(ast: ParsedSource, name: string): ComplexityReading {
  const body = bodyOf(ast, name);
  let [depth, nesting] = [0, 0];
  for (const character of body) {
    if (character === "{") nesting = Math.max(nesting, depth++);
    else if (character === "}") depth--;
  }
  const lines = body.split("\n").filter((line) => line.trim() !== "").length;
  return { cyclomatic: 1 + (body.match(/\b(?:if|for|while)\b/g)?.length ?? 0), lines, nesting };
}

/** A smell for each mark in a body, and the measured ones always. */
const MARKS: Readonly<Record<string, RegExp>> = {
  "unused-binding": /\bunused\b/,
  "unreachable-code": /\bunreachable\b/,
  "imperative-loop": /\bfor \(/,
  "repeated-code-blocks": /\brepeated\b/,
  "magic-values": /\b42\b/,
  "missing-type-abstraction": /\buntyped\b/,
};

function smells(ast: ParsedSource, name: string): DetectedSmell[] {
  const body = bodyOf(ast, name);
  const { nesting } = complexity(ast, name);
  const marked = Object.entries(MARKS).filter(([, mark]) => mark.test(body));
  const found = (id: string, measured: number | null) => ({ id, function: name, line: 1, measured, detail: "" });
  return [found("deep-nesting", nesting), ...marked.map(([id]) => found(id, null))];
}

/** Real parser and injection, simple analysis. */
export const typescript = {
  id: "typescript",
  extension: ".ts",
  hole: HOLE,
  parseAst: parseSource,
  injectBody,
  emitCode: ({ text }: ParsedSource) => text,
  typeDefinitions: () => "type Order = { weight: number };",
  complexity,
  smells,
} as unknown as LanguageAdapter;

export const python = {
  ...typescript,
  id: "python",
  extension: ".py",
  parseAst: (text: string) => parsePython(pythonGrammar, text),
  injectBody: (ast: ParsedSource, name: string, body: string) => injectPython(pythonGrammar, ast, name, body),
} as unknown as LanguageAdapter;
