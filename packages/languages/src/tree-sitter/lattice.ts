import type { ParsedSource, SourceProblem } from "../adapter.ts";
import type { Grammar } from "./grammar.ts";
import { lineOf, nodesIn, oneLine, type SyntaxNode, textOf, textOrNull } from "./grammars.ts";
import { readSource, type FunctionNodes } from "./source.ts";

/** Generated constructors of witnesses hold their checks. */
const WITNESSES = /(?:^|\/)src\/witnesses\//;

/** What a skeleton must not have: a body with code in it, or a statement that runs when the file is loaded. */
export function latticeProblems(grammar: Grammar, path: string, ast: ParsedSource): SourceProblem[] {
  if (WITNESSES.test(path)) return [];
  const { root, functions } = readSource(grammar, ast);
  const bodies = functions
    .filter((one) => !one.source.isHole && !isAbstract(grammar, one))
    .map(({ definition, source }) => at(path, definition, `${source.name} has a body; a skeleton has ${oneLine(grammar.hole)} there`));
  const statements = root
    .children()
    .filter((child) => child.isNamed() && grammar.isLoadStatement(child))
    .map((child) => at(path, child, `${JSON.stringify(oneLine(child.text()).slice(0, 60))} runs when the file is loaded`));
  return [...bodies, ...statements].toSorted((left, right) => left.line - right.line);
}

function at(file: string, node: SyntaxNode, message: string): SourceProblem {
  return { file, line: lineOf(node), column: node.range().start.column + 1, message };
}

/** `...` or `pass` in a protocol or an abstract method of Python declares and does nothing. */
function isAbstract(grammar: Grammar, { definition, block }: FunctionNodes): boolean {
  if (grammar.id !== "python") return false;
  const statements = grammar.statementsOf(block);
  if (!statements.every((statement) => statement.text() === "..." || statement.kind() === "pass_statement")) return false;
  const decorators = grammar
    .outermost(definition)
    .children()
    .filter((child) => child.kind() === "decorator");
  const scope = definition.ancestors().find((node) => node.kind() === "class_definition");
  const bases = textOf(scope?.field("superclasses"));
  return /\bProtocol\b/.test(bases) || decorators.some((decorator) => /abstractmethod|overload/.test(decorator.text()));
}

/** Type definitions by name, with their bodies removed. */
export function typesIn(grammar: Grammar, ast: ParsedSource): Map<string, string> {
  const { root } = readSource(grammar, ast);
  const types = new Map<string, string>();
  for (const node of nodesIn(root)) {
    if (!grammar.types.has(node.kind())) continue;
    const name = typeName(grammar, node);
    if (name === null) continue;
    const text = withoutBodies(grammar, node);
    const known = types.get(name);
    types.set(name, known === undefined ? text : `${known}\n${text}`);
  }
  return types;
}

function typeName(grammar: Grammar, node: SyntaxNode): string | null {
  const named = node.field("name")?.text() ?? grammar.scopeName(node);
  if (named !== null) return named;
  const spec = node.children().find((child) => /type_(?:spec|alias)/.test(child.kind()));
  return spec?.field("name")?.text() ?? textOrNull(node.field("declarator"));
}

function withoutBodies(grammar: Grammar, node: SyntaxNode): string {
  const start = node.range().start.index;
  const blocks = [...nodesIn(node)].filter((inner) => grammar.functions.has(inner.kind())).flatMap((inner) => grammar.blockOf(inner) ?? []);
  // Inner blocks of a removed one are gone already; from the end, so that offsets stay right.
  const outer = blocks.filter((block) => !blocks.some((other) => other.id() !== block.id() && contains(other, block)));
  const replacement = grammar.id === "python" ? "..." : ";";
  return outer
    .toReversed()
    .reduce(
      (text, block) =>
        text.slice(0, block.range().start.index - start).trimEnd() + replacement + text.slice(block.range().end.index - start),
      node.text(),
    )
    .replaceAll(":...", ": ...");
}

function contains(outer: SyntaxNode, inner: SyntaxNode): boolean {
  return outer.range().start.index <= inner.range().start.index && inner.range().end.index <= outer.range().end.index;
}
