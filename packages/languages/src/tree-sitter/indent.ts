import { endOf, nodesIn, startOf, type SyntaxNode } from "./grammars.ts";

/** Numbers of the lines, from 0, that begin inside a literal. Their leading spaces are part of a value. */
export function literalLines(root: SyntaxNode, literals: ReadonlySet<string>): Set<number> {
  const lines = new Set<number>();
  for (const node of nodesIn(root)) {
    if (!literals.has(node.kind())) continue;
    const { start, end } = node.range();
    for (let line = start.line + 1; line <= end.line; line++) lines.add(line);
  }
  return lines;
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Replaces the indentation of the first line by another, in every line that is not part of a literal. */
export function reindented(text: string, to: string, untouched: ReadonlySet<number>): string {
  const lines = text.split("\n");
  const from = indentOf(lines[0] ?? "");
  return lines
    .map((line, number) => {
      if (untouched.has(number)) return line;
      if (line.trim() === "") return "";
      return to + (line.startsWith(from) ? line.slice(from.length) : line.trimStart());
    })
    .join("\n");
}

/** The indentation of the line on which a node begins. */
export function indentAt(text: string, node: SyntaxNode): string {
  const start = startOf(node);
  return indentOf(text.slice(text.lastIndexOf("\n", start - 1) + 1, start));
}

/** The text without empty lines at its start and white space at its end. */
export function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
}

/** Whether only white space and comments are between two offsets. */
export function isBlankBetween(
  root: SyntaxNode,
  text: string,
  span: { start: number; end: number },
  comments: ReadonlySet<string>,
): boolean {
  let rest = text.slice(span.start, span.end);
  for (const node of nodesIn(root)) {
    if (!comments.has(node.kind()) || startOf(node) < span.start || endOf(node) > span.end) continue;
    rest = rest.replace(node.text(), "");
  }
  return rest.trim() === "";
}
