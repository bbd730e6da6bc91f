import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ParsedSource, SourceProblem } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { nodesIn, parseTree, type SyntaxNode } from "./grammars.ts";
import { indentAt, indentOf, isBlankBetween, literalLines, reindented, withoutBlankEnds } from "./indent.ts";
import { functionNamed, parseSource, readSource, type FunctionNodes } from "./source.ts";
import { syntaxProblems } from "./syntax-problems.ts";

/** The source with another body in one function. Every byte outside the body stays. */
export function injectBody(grammar: Grammar, ast: ParsedSource, name: string, body: string): ParsedSource {
  const found = functionNamed(grammar, ast, name);
  const { start, end } = found.source.body;
  const inserted = grammar.id === "python" ? pythonBody(grammar, ast, found, body) : bracedBody(grammar, ast, found, body);
  const text = ast.text.slice(0, start) + inserted + ast.text.slice(end);
  const root = parseTree(grammar.id, text);
  const [problem] = syntaxProblems(root, grammar);
  if (problem !== undefined) throw badSyntax(found, problem);
  const injected = parseSource(grammar, text);
  assertContained(grammar, { injected, root, found, span: { start, end: start + inserted.length } });
  return injected;
}

function badSyntax({ source }: FunctionNodes, problem: SourceProblem): SlipwayError {
  return new SlipwayError("body_syntax", `The body of ${source.name} does not parse at line ${problem.line}: ${problem.message}.`, {
    function: source.name,
    line: problem.line,
    column: problem.column,
    suggested_next_actions: ["Give the statements of the body only, without the declaration."],
  });
}

function escaped(name: string, how: string): SlipwayError {
  return new SlipwayError("body_escapes", `The body of ${name} ${how}.`, {
    function: name,
    suggested_next_actions: ["Give the statements of the body only; declare nothing outside the function."],
  });
}

/** Indents the body as a block below the `def` line. */
function pythonBody(grammar: Grammar, ast: ParsedSource, { definition, source }: FunctionNodes, body: string): string {
  const text = withoutBlankEnds(body);
  const block = wrappedBlock(grammar, text, source.name) ?? wrappedBlock(grammar, firstLineIndented(text), source.name);
  if (block === null) {
    const [problem] = syntaxProblems(parseTree(grammar.id, `if True:\n${reindented(text, "    ", new Set())}`), grammar);
    throw badSyntax({ definition, block: definition, source }, problem ?? { file: null, line: 1, column: 1, message: "no statements" });
  }
  const unit = indentUnit(definition);
  return `\n${reindented(block.text, indentAt(ast.text, definition) + unit, block.literals)}`;
}

interface WrappedBlock {
  readonly text: string;
  readonly literals: ReadonlySet<number>;
}

/** Parses a block below a condition. Null if it does not parse; an error if it ends before its text does. */
function wrappedBlock(grammar: Grammar, text: string, name: string): WrappedBlock | null {
  const inner = indentOf(text) === "" ? "pass" : "";
  // An unindented body is a module; an indented one needs a line above it that opens the block.
  const head = inner === "" ? "if True:\n" : "";
  const root = parseTree(grammar.id, head + text);
  if (text.trim() === "" || syntaxProblems(root, grammar).length > 0 || !hasEvenBlocks(root)) return null;
  const statements = root.children().filter((child) => child.isNamed() && child.kind() !== "comment");
  if (statements.length === 0) return null;
  if (inner === "" && statements.length !== 1) throw escaped(name, "is less indented than its first line, and so ends the function");
  const offset = head === "" ? 0 : 1;
  return { text, literals: new Set([...literalLines(root, grammar.literals)].map((line) => line - offset)) };
}

/** The grammar of tree-sitter accepts a dedent to a column that no open block has; Python does not. */
function hasEvenBlocks(root: SyntaxNode): boolean {
  return [...nodesIn(root)].every((node) => {
    if (!["module", "block"].includes(node.kind())) return true;
    const starts = node
      .children()
      .filter((child) => child.isNamed() && child.kind() !== "comment")
      .map((child) => child.range().start);
    const ofLines = starts.filter(({ line }, index) => index === 0 || line !== starts[index - 1]?.line);
    return ofLines.every(({ column }) => column === ofLines[0]?.column);
  });
}

/** A body that was trimmed has lost the indentation of its first line only. */
function firstLineIndented(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const indents = rest.filter((line) => line.trim() !== "").map(indentOf);
  const smallest = indents.toSorted((left, right) => left.length - right.length)[0] ?? "";
  return indentOf(first) === "" && smallest !== "" ? `${smallest}${text}` : text;
}

/** Tabs where the file uses them. */
function indentUnit(definition: SyntaxNode): string {
  return /\n\t/.test(definition.text()) ? "\t" : "    ";
}

function bracedBody(grammar: Grammar, ast: ParsedSource, { definition, source }: FunctionNodes, body: string): string {
  const text = withoutBlankEnds(body);
  if (text === "") return "{}";
  const head = "{\n";
  const outer = indentAt(ast.text, grammar.outermost(definition));
  const unit = grammar.id === "go" || outer.includes("\t") ? "\t" : "    ";
  // Literals are found where the body will be, because a fragment alone is no source file.
  const { start, end } = source.body;
  const trial = parseTree(grammar.id, `${ast.text.slice(0, start)}${head}${text}\n}${ast.text.slice(end)}`);
  const before = ast.text.slice(0, start).split("\n").length;
  const literals = new Set([...literalLines(trial, grammar.literals)].map((line) => line - before));
  return `${head}${reindented(text, outer + unit, literals)}\n${outer}}`;
}

interface Injection {
  readonly injected: ParsedSource;
  readonly root: SyntaxNode;
  readonly found: FunctionNodes;
  readonly span: { readonly start: number; readonly end: number };
}

/** The function must still be there, and its body must be exactly the inserted text. */
function assertContained(grammar: Grammar, { injected, found, span }: Injection): void {
  const name = found.source.name;
  const { root, functions } = readSource(grammar, injected);
  const after = functions.find(({ source }) => source.name === name);
  const { start = -1, end = -1 } = after?.source.body ?? {};
  const isWhole = start === span.start && (end === span.end || (end < span.end && isRest(grammar, root, injected.text, end, span.end)));
  if (after === undefined || !isWhole) throw escaped(name, "closes the function and continues outside it");
  const escaping = [...nodesIn(after.block)].find((node) => grammar.escaping.has(node.kind()));
  if (escaping !== undefined)
    throw escaped(name, `contains ${JSON.stringify(escaping.text().trim().split("\n")[0])}, which affects the code after it`);
}

/** A comment at the end of a block of Python may lie outside the node of the block. */
function isRest(grammar: Grammar, root: SyntaxNode, text: string, start: number, end: number): boolean {
  return grammar.id === "python" && isBlankBetween(root, text, { start, end }, grammar.comments);
}
