import type { SourceProblem } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { nodesIn, oneLine, type SyntaxNode } from "./grammars.ts";

const MOST = 20;
const SHOWN = 60;

/** Places where the parser met text it does not know, or had to invent a token. */
export function syntaxProblems(root: SyntaxNode, grammar: Grammar): SourceProblem[] {
  const problems: SourceProblem[] = [];
  for (const node of nodesIn(root)) {
    if (problems.length >= MOST) break;
    const message = problemOf(node, grammar);
    if (message === null) continue;
    const { line, column } = node.range().start;
    problems.push({ file: null, line: line + 1, column: column + 1, message });
  }
  return problems;
}

function problemOf(node: SyntaxNode, { mayBeEmpty }: Grammar): string | null {
  const kind = node.kind();
  if (kind === "ERROR") return `unexpected ${JSON.stringify(oneLine(node.text()).slice(0, SHOWN))}`;
  const { start, end } = node.range();
  const isInvented = start.index === end.index && node.isLeaf() && node.parent() !== null && !mayBeEmpty.has(kind);
  return isInvented ? `missing ${JSON.stringify(kind)}` : null;
}
