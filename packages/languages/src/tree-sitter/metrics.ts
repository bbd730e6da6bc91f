import type { ComplexityReading } from "../analysis/complexity.ts";
import type { ParsedSource } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { nodesIn, type SyntaxNode } from "./grammars.ts";
import { functionNamed } from "./source.ts";

const AND_OR = new Set(["&&", "||", "and", "or"]);

export function measure(grammar: Grammar, ast: ParsedSource, name: string): ComplexityReading {
  const { block } = functionNamed(grammar, ast, name);
  const { branches, logical } = grammar.metrics;
  let cyclomatic = 1;
  for (const node of ownNodes(grammar, block)) {
    if (branches.has(node.kind())) cyclomatic++;
    if (logical.has(node.kind()) && node.children().some((child) => AND_OR.has(child.kind()))) cyclomatic++;
  }
  return { cyclomatic, lines: codeLines(grammar, block), nesting: nestingOf(grammar, block) };
}

/** The nodes of a body without those of functions declared in it. */
export function* ownNodes(grammar: Grammar, block: SyntaxNode): Generator<SyntaxNode> {
  const open = [block];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(
      ...node
        .children()
        .filter((child) => !grammar.functions.has(child.kind()))
        .toReversed(),
    );
  }
}

/** Lines with at least one token that is no comment and no brace of the body itself. */
function codeLines(grammar: Grammar, block: SyntaxNode): number {
  const lines = new Set<number>();
  for (const node of nodesIn(block)) {
    if (grammar.comments.has(node.kind()) || !node.isLeaf() || isInComment(grammar, node)) continue;
    if (node.parent()?.id() === block.id() && (node.kind() === "{" || node.kind() === "}")) continue;
    const { start, end } = node.range();
    for (let line = start.line; line <= end.line; line++) lines.add(line);
  }
  return lines.size;
}

function isInComment(grammar: Grammar, node: SyntaxNode): boolean {
  return grammar.comments.has(node.parent()?.kind() ?? "");
}

function nestingOf(grammar: Grammar, block: SyntaxNode): number {
  const open: { readonly node: SyntaxNode; readonly depth: number }[] = [{ node: block, depth: 0 }];
  let deepest = 0;
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { node } = item;
    const depth = item.depth + (grammar.metrics.nesting.has(node.kind()) && !isElseIf(node) ? 1 : 0);
    deepest = Math.max(deepest, depth);
    open.push(
      ...node
        .children()
        .filter((child) => !grammar.functions.has(child.kind()))
        .map((child) => ({ node: child, depth })),
    );
  }
  return deepest;
}

/** `else if` continues a chain; it nests no deeper than the first condition. */
function isElseIf(node: SyntaxNode): boolean {
  const parent = node.parent();
  if (parent === null || !node.kind().startsWith("if_")) return false;
  return parent.kind() === "else_clause" || (parent.kind() === node.kind() && parent.field("alternative")?.id() === node.id());
}
