import { walkNodes, type SourceSyntax } from "./program.ts";

const INDENT = "  ";

export interface BodyLayout {
  /** Of the line that declares the function. */
  readonly indent: string;
  readonly lineEnd: string;
}

/**
 * A body with its braces. Its common indentation becomes that of the declaration. Lines inside string and template literals keep theirs,
 * because it belongs to their value.
 */
export function writeBody(tree: SourceSyntax, start: number, end: number, { indent, lineEnd }: BodyLayout): string {
  const all = linesOf(tree, start, end);
  const first = all.findIndex(({ text }) => text.trim() !== "");
  if (first < 0) return "{}";
  const lines = all.slice(first, all.findLastIndex(({ text }) => text.trim() !== "") + 1);
  const cut = commonIndent(lines.filter(({ text, isLiteral }) => !isLiteral && text.trim() !== "").map(({ text }) => text));
  const written = lines.map(({ text, isLiteral }) => {
    if (isLiteral) return text;
    return text.trim() === "" ? "" : `${indent}${INDENT}${text.slice(Math.min(cut, indentOf(text)))}`;
  });
  return `{${lineEnd}${written.join(lineEnd)}${lineEnd}${indent}}`;
}

interface Line {
  readonly text: string;
  /** Whether it begins inside a literal. */
  readonly isLiteral: boolean;
}

function linesOf(tree: SourceSyntax, start: number, end: number): Line[] {
  const literals: { start: number; end: number }[] = [];
  walkNodes(tree.program, (node) => {
    const isLiteral = node.type === "Literal" || node.type === "TemplateLiteral" || node.type === "TSTemplateLiteralType";
    if (isLiteral) literals.push(node);
    return !isLiteral;
  });
  let [at, next] = [start, 0];
  return tree.text
    .slice(start, end)
    .split("\n")
    .map((line) => {
      while ((literals[next]?.end ?? Infinity) <= at) next++;
      const isLiteral = (literals[next]?.start ?? Infinity) < at;
      at += line.length + 1;
      return { text: line.replace(/\r$/, ""), isLiteral };
    });
}

/** A first line that was cut off from its indentation does not count if it is a whole line of its own. */
function commonIndent(lines: readonly string[]): number {
  const [first = "", ...others] = lines;
  const isCutOff = indentOf(first) === 0 && others.length > 0 && /[;{}]$/.test(first.trimEnd());
  return (isCutOff ? others : lines).reduce((least, line) => Math.min(least, indentOf(line)), Infinity);
}

function indentOf(line: string): number {
  return line.length - line.replace(/^[ \t]+/, "").length;
}
