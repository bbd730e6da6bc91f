import { nodeIn, nodesIn, visit, type AstNode } from "./ast-nodes.ts";
import { parseExpression } from "./expression.ts";
import { isWithin, patternIn, type ValueBounds } from "./value-bounds.ts";

/** Values that a contract names. A wrong body is often wrong exactly there. */
export interface ContractLiterals {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  /** Regular expressions as literals. */
  readonly patterns: readonly string[];
  readonly lists: readonly (readonly (number | string)[])[];
}

export const NO_LITERALS: ContractLiterals = { numbers: [], texts: [], patterns: [], lists: [] };

const MOST = 8;
const some = <T>(all: Iterable<T>): T[] => [...all].slice(0, MOST);

export function literalsOf(expressions: readonly string[]): ContractLiterals {
  const numbers = new Set<number>();
  const texts = new Set<string>();
  const patterns = new Set<string>();
  const lists = new Map<string, readonly (number | string)[]>();
  for (const expression of expressions) {
    const parsed = parseExpression(expression);
    if ("problem" in parsed) continue;
    visit(parsed.node, (node) => {
      const value = literalIn(node);
      if (typeof value === "number") numbers.add(value);
      if (typeof value === "string") texts.add(value);
      const pattern = patternIn(node);
      if (pattern !== null) patterns.add(pattern);
      const list = listIn(node);
      if (list !== null) lists.set(JSON.stringify(list), list);
    });
  }
  return { numbers: some(numbers), texts: some(texts), patterns: some(patterns), lists: some(lists.values()) };
}

function literalIn(node: AstNode): number | string | null {
  if (node.type === "Literal" && (typeof node["value"] === "number" || typeof node["value"] === "string")) return node["value"];
  const argument = node.type === "UnaryExpression" && node["operator"] === "-" ? nodeIn(node, "argument") : null;
  const inner = argument === null ? null : literalIn(argument);
  return typeof inner === "number" ? -inner : null;
}

/** A list of plain values of one type. */
function listIn(node: AstNode): readonly (number | string)[] | null {
  if (node.type !== "ArrayExpression") return null;
  const values = nodesIn(node, "elements").map(literalIn);
  return values.every((one) => one !== null && typeof one === typeof values[0]) ? values.filter((one) => one !== null) : null;
}

/** The numbers that a contract names, with those beside them, as far as they are within the bounds. */
export function namedNumbers({ numbers }: ContractLiterals, bounds: ValueBounds = {}): number[] {
  const all = numbers.flatMap((n) => [n, n - 1, n + 1]);
  return [...new Set(all)].filter((n) => isWithin(n, bounds));
}

/** As members of an object in the text of a test. */
export function namedTexts({ texts, patterns }: ContractLiterals, length: ValueBounds = {}, pattern?: string): string[] {
  const matches = pattern === undefined ? null : regularExpression(pattern);
  const fitting = texts.filter((text) => isWithin(text.length, length) && (matches === null || matches.test(text)));
  const isFree = pattern === undefined && Object.keys(length).length === 0;
  return [
    ...(fitting.length === 0 ? [] : [`named: ${JSON.stringify(fitting)}`]),
    ...(isFree && patterns.length > 0 ? [`like: [${patterns.join(", ")}]`] : []),
  ];
}

function regularExpression(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

const ELEMENTS: Readonly<Record<string, string>> = { TSNumberKeyword: "number", TSStringKeyword: "string" };

/** The lists that a contract names, if they have elements of this type. */
export function namedLists({ lists }: ContractLiterals, element: AstNode, length: ValueBounds = {}): (readonly (number | string)[])[] {
  const type = ELEMENTS[element.type];
  return lists.filter((list) => isWithin(list.length, length) && (list.length === 0 || typeof list[0] === type));
}
