import { createRequire } from "node:module";
import type { LanguageId } from "../adapter.ts";

export type GrammarId = Exclude<LanguageId, "typescript">;

/** The part of the parser's nodes that is used here. Their own type has a kind per grammar, which nothing here needs. */
export interface SyntaxNode {
  id(): number;
  kind(): string;
  text(): string;
  range(): { readonly start: SyntaxPosition; readonly end: SyntaxPosition };
  isNamed(): boolean;
  isLeaf(): boolean;
  children(): SyntaxNode[];
  child(index: number): SyntaxNode | null;
  field(name: string): SyntaxNode | null;
  fieldChildren(name: string): SyntaxNode[];
  parent(): SyntaxNode | null;
  prev(): SyntaxNode | null;
  ancestors(): SyntaxNode[];
}

/** Line and column count from 0. */
export interface SyntaxPosition {
  readonly line: number;
  readonly column: number;
  readonly index: number;
}

interface Parser {
  parse(language: string, text: string): { root(): SyntaxNode };
  registerDynamicLanguage(languages: Readonly<Record<string, unknown>>): void;
}

let parser: Parser | null = null;

/** Loads the native parsers on first use. The library allows one registration in a process, so all grammars are registered at once. */
function loadParser(): Parser {
  if (parser !== null) return parser;
  const require = createRequire(import.meta.url);
  const library = require("@ast-grep/napi") as Parser;
  const languages: Readonly<Record<GrammarId, unknown>> = {
    python: require("@ast-grep/lang-python"),
    rust: require("@ast-grep/lang-rust"),
    go: require("@ast-grep/lang-go"),
    java: require("@ast-grep/lang-java"),
    cpp: require("@ast-grep/lang-cpp"),
  };
  library.registerDynamicLanguage(languages);
  parser = library;
  return library;
}

/** The root of a syntax tree. Offsets are UTF-16, lines and columns count from 0. The parser never fails: errors are nodes. */
export function parseTree(id: GrammarId, text: string): SyntaxNode {
  return loadParser()
    .parse(id, id === "cpp" ? withoutTypeOperands(text) : text)
    .root();
}

/** The grammar of C++ does not know `typeid(int)`. The operand becomes a name of the same length, so that all offsets stay. */
function withoutTypeOperands(text: string): string {
  return text.replaceAll(/(?<=\btypeid\s*\()[\w:<>,\s*&]+(?=\))/g, (operand) => operand.replaceAll(/[^\n]/g, "x"));
}

export function startOf(node: SyntaxNode): number {
  return node.range().start.index;
}

export function endOf(node: SyntaxNode): number {
  return node.range().end.index;
}

/** From 1. */
export function lineOf(node: SyntaxNode): number {
  return node.range().start.line + 1;
}

/** A node and everything below it, in the order of the text. Iterative, because sources may nest deeper than the stack allows. */
export function* nodesIn(root: SyntaxNode): Generator<SyntaxNode> {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...node.children().toReversed());
  }
}

export function childOfKind(node: SyntaxNode, ...kinds: readonly string[]): SyntaxNode | null {
  return node.children().find((child) => kinds.includes(child.kind())) ?? null;
}

/** A text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** What a node says, or nothing if there is none. */
export function textOf(node: SyntaxNode | null | undefined): string {
  return textOrNull(node) ?? "";
}

export function textOrNull(node: SyntaxNode | null | undefined): string | null {
  return node?.text() ?? null;
}

export function kindOf(node: SyntaxNode | null | undefined): string {
  return node?.kind() ?? "";
}

export function childrenOf(node: SyntaxNode | null | undefined): readonly SyntaxNode[] {
  return node?.children() ?? [];
}
