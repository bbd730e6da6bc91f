import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ParsedSource, SourceFunction } from "../adapter.ts";
import { commentBefore, docstring, type Documentation } from "./documentation.ts";
import type { Grammar } from "./grammar.ts";
import { endOf, lineOf, nodesIn, oneLine, parseTree, startOf, type SyntaxNode } from "./grammars.ts";
import { syntaxProblems } from "./syntax-problems.ts";

/** A function with its nodes, which are valid only as long as the tree that they came from. */
export interface FunctionNodes {
  readonly definition: SyntaxNode;
  readonly block: SyntaxNode;
  readonly source: SourceFunction;
}

interface ReadSource {
  readonly root: SyntaxNode;
  readonly functions: readonly FunctionNodes[];
}

const trees = new WeakMap<ParsedSource, ReadSource>();

/** Throws `source_syntax` at the first place that does not parse. */
export function parseSource(grammar: Grammar, text: string): ParsedSource {
  const root = parseTree(grammar.id, text);
  const problems = syntaxProblems(root, grammar);
  const [first] = problems;
  if (first !== undefined)
    throw new SlipwayError("source_syntax", `Line ${first.line}, column ${first.column}: ${first.message}.`, {
      line: first.line,
      column: first.column,
      problems,
      suggested_next_actions: ["Correct the syntax at that place."],
    });
  const functions = functionsIn(grammar, root, text);
  const ast: ParsedSource = { text, functions: functions.map(({ source }) => source) };
  trees.set(ast, { root, functions });
  return ast;
}

/** The nodes of a parsed source; it is parsed again if it came from elsewhere. */
export function readSource(grammar: Grammar, ast: ParsedSource): ReadSource {
  const known = trees.get(ast);
  if (known !== undefined) return known;
  const root = parseTree(grammar.id, ast.text);
  return { root, functions: functionsIn(grammar, root, ast.text) };
}

export function functionNamed(grammar: Grammar, ast: ParsedSource, name: string): FunctionNodes {
  const { functions } = readSource(grammar, ast);
  const wanted = name.replaceAll("::", ".");
  const found = functions.find(({ source }) => source.name === wanted);
  if (found !== undefined) return found;
  throw new SlipwayError("function_not_found", `The source has no function ${name}.`, {
    function: name,
    functions: functions.map(({ source }) => source.name),
    suggested_next_actions: ["Use one of the names listed in `functions`."],
  });
}

function functionsIn(grammar: Grammar, root: SyntaxNode, text: string): FunctionNodes[] {
  const names = new Map<string, number>();
  const found: FunctionNodes[] = [];
  for (const definition of nodesIn(root)) {
    if (!grammar.functions.has(definition.kind())) continue;
    const block = grammar.blockOf(definition);
    const own = grammar.nameOf(definition);
    if (block === null || own === null) continue;
    const name = [...scopesOf(grammar, definition), own].join(".");
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    const unique = count === 1 ? name : `${name}#${count}`;
    found.push({ definition, block, source: describe(grammar, { definition, block, name: unique, text }) });
  }
  return found;
}

function scopesOf(grammar: Grammar, definition: SyntaxNode): string[] {
  return definition
    .ancestors()
    .flatMap((node) => grammar.scopeName(node) ?? (grammar.functions.has(node.kind()) ? (grammar.nameOf(node) ?? []) : []))
    .toReversed();
}

interface Described {
  readonly definition: SyntaxNode;
  readonly block: SyntaxNode;
  readonly name: string;
  readonly text: string;
}

function describe(grammar: Grammar, { definition, block, name, text }: Described): SourceFunction {
  const outermost = grammar.outermost(definition);
  const doc = documentationOf(grammar, { definition, block, name, text });
  const line = lineOf(definition);
  const statements = grammar.statementsOf(block);
  const own = name.split(".").at(-1) ?? name;
  return {
    name,
    signature: signatureOf(outermost, definition, block, text),
    parameters: grammar.parametersOf(definition),
    returns: grammar.returnsOf(definition),
    doc: doc?.text ?? null,
    docLine: doc?.line ?? line,
    line,
    isExported: grammar.isExported(definition, own),
    isHole: statements.length === 1 && statements.every((statement) => grammar.isHoleStatement(statement)),
    body: bodySpan(grammar, definition, block),
    calls: callsIn(grammar, block),
  };
}

const PREFIXES = new Set(["decorator", "attribute_item", "modifiers"]);

function signatureOf(outermost: SyntaxNode, definition: SyntaxNode, block: SyntaxNode, text: string): string {
  const from = outermost.kind() === "decorated_definition" ? definition : outermost;
  const annotations = [...nodesIn(from)].filter((node) => node.kind().endsWith("annotation") && PREFIXES.has(node.parent()?.kind() ?? ""));
  const start = startOf(from);
  const whole = annotations
    .toReversed()
    .reduce(
      (shorter, node) => shorter.slice(0, startOf(node) - start) + shorter.slice(endOf(node) - start),
      text.slice(start, startOf(block)),
    );
  return oneLine(whole.replaceAll(/#[^\n"']*$/gm, "")).replace(/\s*:$/, "");
}

function documentationOf(grammar: Grammar, { definition, block, text }: Described): Documentation | null {
  const inside = grammar.id === "python" ? docstringNode(block) : null;
  if (inside === null) return commentBefore(grammar.outermost(definition), grammar, text);
  const content = inside.children().filter((child) => child.kind() === "string_content");
  const [first] = content;
  return docstring(content.map((child) => child.text()).join(""), first === undefined ? lineOf(inside) : lineOf(first));
}

/** The documentation string at the start of a block of Python. */
export function docstringNode(block: SyntaxNode): SyntaxNode | null {
  const first = block.children().find((child) => child.isNamed() && child.kind() !== "comment");
  const inner = first?.kind() === "expression_statement" ? first.child(0) : null;
  return inner?.kind() === "string" && first?.children().length === 1 ? inner : null;
}

/**
 * In Python a body begins after the colon, or after the documentation, which an injection therefore keeps. In the other languages it is
 * the block with its braces.
 */
function bodySpan(grammar: Grammar, definition: SyntaxNode, block: SyntaxNode): SourceFunction["body"] {
  const end = endOf(block);
  if (grammar.id !== "python") return { start: startOf(block), end };
  const documentation = docstringNode(block);
  if (documentation !== null) return { start: endOf(documentation), end };
  const children = definition.children();
  const colon = children.find((child) => child.kind() === ":");
  const start = colon === undefined ? startOf(block) : endOf(colon);
  const beside = children.find((child) => child.kind() === "comment" && lineOf(child) === (colon === undefined ? 0 : lineOf(colon)));
  return { start: beside === undefined ? start : endOf(beside), end };
}

function callsIn(grammar: Grammar, block: SyntaxNode): string[] {
  const names = [...nodesIn(block)].map((node) => grammar.calleeOf(node)).filter((name) => name !== null);
  return [...new Set(names.map((name) => name.replaceAll(/\s+/g, "")))];
}
