import { parseSync, visitorKeys, type Comment, type Node, type Program } from "oxc-parser";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ParsedSource, SourceTree } from "../../adapter.ts";
import { isTooDeep } from "./nesting.ts";

/** The syntax tree of one file (ESTree with TypeScript nodes). Offsets are UTF-16 and include a byte-order mark. */
export interface SourceSyntax {
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

export interface SyntaxFault {
  readonly message: string;
  readonly offset: number;
}

/** Parentheses are not nodes: `(a)` is the node of `a`. */
const OPTIONS = { lang: "ts", sourceType: "module", preserveParens: false } as const;

/** The tree, or the first syntax error. */
export function tryParse(text: string): SourceSyntax | SyntaxFault {
  if (isTooDeep(text)) return { message: "The code nests too deeply to be parsed", offset: 0 };
  const { errors, program, comments } = parseSync("source.ts", text, OPTIONS);
  const [error] = errors;
  if (error === undefined) return { text, program, comments };
  return { message: error.message, offset: error.labels[0]?.start ?? 0 };
}

export function isFault(parsed: SourceSyntax | SyntaxFault): parsed is SyntaxFault {
  return "offset" in parsed;
}

export function parseProgram(text: string): SourceSyntax {
  const parsed = tryParse(text);
  if (!isFault(parsed)) return parsed;
  const { line, column } = positionAt(text, parsed.offset);
  throw new SlipwayError("source_syntax", `Line ${line}, column ${column}: ${parsed.message}.`, {
    line,
    column,
    suggested_next_actions: ["Correct the syntax at this position."],
  });
}

const programs = new WeakMap<SourceTree, Map<string, SourceSyntax>>();

/** A file of a source tree. A source tree is a value, so each file is parsed at most once. */
export function programIn(tree: SourceTree, path: string): SourceSyntax {
  const parsed = programs.get(tree) ?? new Map<string, SourceSyntax>();
  programs.set(tree, parsed);
  const program = parsed.get(path) ?? parseProgram(tree[path] ?? "");
  parsed.set(path, program);
  return program;
}

const trees = new WeakMap<ParsedSource, SourceSyntax>();

/** The tree of a parsed file; it is parsed at most once. */
export function syntaxOf(source: ParsedSource): SourceSyntax {
  const known = trees.get(source) ?? parseProgram(source.text);
  trees.set(source, known);
  return known;
}

export function rememberSyntax(source: ParsedSource, tree: SourceSyntax): void {
  trees.set(source, tree);
}

/** Line and column from 1. Lines end at a line feed. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: lineBreaks(before) + 1, column: offset - before.lastIndexOf("\n") };
}

export function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

export function childrenOf(node: Node): Node[] {
  const children = (visitorKeys[node.type] ?? []).map((key) => (node as unknown as Record<string, unknown>)[key]);
  return children.flat().filter((child): child is Node => typeof child === "object" && child !== null && "type" in child);
}

/** Every node below, parents first. A visitor that returns false leaves the children out. */
export function walkNodes(node: Node, visit: (node: Node) => boolean | void): void {
  for (const child of childrenOf(node)) if (visit(child) !== false) walkNodes(child, visit);
}
