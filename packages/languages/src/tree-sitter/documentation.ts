import type { Grammar } from "./grammar.ts";
import { endOf, startOf, type SyntaxNode } from "./grammars.ts";

export interface Documentation {
  readonly text: string;
  /** Of the first line of the text, from 1. */
  readonly line: number;
}

/** Attributes and annotations may stand between a comment and what it documents. */
const ATTRIBUTES = new Set(["attribute_item", "decorator"]);

/** The comment directly before a declaration, without its marks. */
export function commentBefore(declaration: SyntaxNode, grammar: Grammar, text: string): Documentation | null {
  const comments: SyntaxNode[] = [];
  let follower = declaration;
  for (let node = declaration.prev(); node !== null; node = node.prev()) {
    const isComment = grammar.comments.has(node.kind()) && grammar.isDocumentation(node);
    if (!isComment && !ATTRIBUTES.has(node.kind())) break;
    const between = text.slice(endOf(node), startOf(follower)).trim() === "" && linesBetween(node, follower) <= 1;
    if (!between || isBehindCode(node, text)) break;
    if (isComment) comments.unshift(node);
    follower = node;
  }
  const lines = comments.flatMap((comment) => unmarked(comment.text(), comment.range().start.line + 1));
  return trimmed(lines);
}

/** A comment at the end of a line of code belongs to that line. */
function isBehindCode(comment: SyntaxNode, text: string): boolean {
  const start = startOf(comment);
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() !== "";
}

function linesBetween(before: SyntaxNode, after: SyntaxNode): number {
  const { line, column } = before.range().end;
  // A line comment of Rust contains its line break.
  return after.range().start.line - line + (column === 0 && line > before.range().start.line ? 1 : 0);
}

interface Line {
  readonly text: string;
  readonly line: number;
}

function unmarked(comment: string, first: number): Line[] {
  const isBlock = comment.startsWith("/*");
  const inner = isBlock ? comment.replace(/^\/\*[*!]*/, "").replace(/\*+\/\s*$/, "") : comment.replace(/\n$/, "");
  const mark = isBlock ? /^\s*\*? ?/ : /^\s*(?:\/\/[/!]?|#) ?/;
  return inner.split("\n").map((line, index) => ({ text: line.replace(mark, "").trimEnd(), line: first + index }));
}

function trimmed(lines: readonly Line[]): Documentation | null {
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  if (first < 0) return null;
  const last = lines.findLastIndex(({ text }) => text.trim() !== "");
  const kept = lines.slice(first, last + 1);
  return { text: kept.map(({ text }) => text).join("\n"), line: kept[0]?.line ?? 1 };
}

/** The text of a documentation string, as `inspect.cleandoc` shows it. */
export function docstring(text: string, line: number): Documentation | null {
  const [head = "", ...rest] = text.split("\n");
  const indents = rest.filter((one) => one.trim() !== "").map((one) => one.length - one.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const lines = [head.trim(), ...rest.map((one) => one.slice(indent).trimEnd())];
  return trimmed(lines.map((one, index) => ({ text: one, line: line + index })));
}
