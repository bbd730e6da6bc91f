import { nameIn, nodeIn, nodesIn, type AstNode } from "./ast-nodes.ts";

/** What conditions say about one number, text or list. */
export interface ValueBounds {
  readonly min?: number;
  readonly minExcluded?: boolean;
  readonly max?: number;
  readonly maxExcluded?: boolean;
  readonly integer?: boolean;
  /** A regular expression as a literal, which a text matches. */
  readonly pattern?: string;
}

/** Bounds by what they are about: `amount`, `items.length`. */
export type BoundsByPath = ReadonlyMap<string, ValueBounds>;

const MIRRORED: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "===": "===", "==": "===" };
const NEGATED: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };
const INTEGER_CHECKS = new Set(["isInteger", "isSafeInteger"]);

/** Bounds that hold if all the conditions do. They make it likely that a generated value satisfies them; they replace no check. */
export function boundsOf(conditions: readonly AstNode[], lookUp: FunctionLookup = () => null): Map<string, ValueBounds> {
  const bounds = new Map<string, ValueBounds>();
  for (const condition of conditions) collect(condition, true, bounds, lookUp, 0);
  return bounds;
}

export function isWithin(n: number, { min = -Infinity, minExcluded, max = Infinity, maxExcluded, integer }: ValueBounds): boolean {
  const isInside = (minExcluded === true ? n > min : n >= min) && (maxExcluded === true ? n < max : n <= max);
  return isInside && (integer !== true || Number.isInteger(n));
}

/** A function of the same file by its name. */
export type FunctionLookup = (name: string) => AstNode | null;

/** What a function that throws, or returns nothing, for other values accepts. */
export function acceptedBy(node: AstNode, lookUp: FunctionLookup): Map<string, ValueBounds> {
  const bounds = new Map<string, ValueBounds>();
  for (const statement of nodesIn(nodeIn(node, "body") ?? node, "body")) {
    const test = statement.type === "IfStatement" ? nodeIn(statement, "test") : null;
    if (test !== null && leaves(nodeIn(statement, "consequent"))) collect(test, false, bounds, lookUp, 0);
  }
  return bounds;
}

function leaves(node: AstNode | null): boolean {
  if (node?.type === "BlockStatement") return nodesIn(node, "body").some(leaves);
  return node?.type === "ThrowStatement" || node?.type === "ReturnStatement";
}

const MAX_CALLS = 4;

function collect(node: AstNode, holds: boolean, bounds: Map<string, ValueBounds>, lookUp: FunctionLookup, calls: number): void {
  const inner = nodeIn(node, "expression") ?? nodeIn(node, "argument");
  if (node.type === "ParenthesizedExpression" && inner !== null) collect(inner, holds, bounds, lookUp, calls);
  if (node.type === "UnaryExpression" && node["operator"] === "!" && inner !== null) collect(inner, !holds, bounds, lookUp, calls);
  const [left, right] = [nodeIn(node, "left"), nodeIn(node, "right")];
  if (node.type === "LogicalExpression" && node["operator"] === (holds ? "&&" : "||")) {
    for (const side of [left, right]) if (side !== null) collect(side, holds, bounds, lookUp, calls);
  }
  if (node.type === "BinaryExpression" && left !== null && right !== null) compare(node, left, right, holds, bounds);
  if (node.type === "CallExpression") collectCall(node, holds, bounds, lookUp, calls);
}

function compare(node: AstNode, left: AstNode, right: AstNode, holds: boolean, bounds: Map<string, ValueBounds>): void {
  const isMirrored = numberIn(left) !== null;
  const path = pathIn(isMirrored ? right : left);
  const value = numberIn(isMirrored ? left : right);
  const written = isMirrored ? MIRRORED[String(node["operator"])] : String(node["operator"]);
  const operator = holds ? written : NEGATED[written ?? ""];
  if (path === null || value === null || operator === undefined) return;
  const known = bounds.get(path) ?? {};
  const isMin = operator === ">" || operator === ">=" || operator === "===";
  const isMax = operator === "<" || operator === "<=" || operator === "===";
  if (!isMin && !isMax) return;
  bounds.set(path, {
    ...known,
    ...(isMin && value >= (known.min ?? -Infinity) ? { min: value, minExcluded: operator === ">" } : {}),
    ...(isMax && value <= (known.max ?? Infinity) ? { max: value, maxExcluded: operator === "<" } : {}),
  });
}

function collectCall(node: AstNode, holds: boolean, bounds: Map<string, ValueBounds>, lookUp: FunctionLookup, calls: number): void {
  const callee = nodeIn(node, "callee");
  const [argument] = nodesIn(node, "arguments");
  const path = argument === undefined ? null : pathIn(argument);
  if (callee === null || path === null || !holds) return;
  if (callee.type === "MemberExpression" && INTEGER_CHECKS.has(nameIn(nodeIn(callee, "property")) ?? "")) {
    bounds.set(path, { ...bounds.get(path), integer: true });
  }
  const pattern =
    callee.type === "MemberExpression" && nameIn(nodeIn(callee, "property")) === "test" ? patternIn(nodeIn(callee, "object")) : null;
  if (pattern !== null) bounds.set(path, { ...bounds.get(path), pattern });
  const called = calls < MAX_CALLS ? lookUp(nameIn(callee) ?? "") : null;
  const [parameter] = called === null ? [] : nodesIn(called, "params");
  const name = nameIn(parameter ?? null);
  const result = called === null ? null : returned(called);
  if (name === null || result === null) return;
  const inside = new Map<string, ValueBounds>();
  collect(result, true, inside, lookUp, calls + 1);
  for (const [inner, found] of inside) {
    const outer = inner === name ? path : inner.startsWith(`${name}.`) ? `${path}${inner.slice(name.length)}` : null;
    if (outer !== null) bounds.set(outer, { ...bounds.get(outer), ...found });
  }
}

/** What fast-check cannot generate texts for: look-around, references, boundaries, sets of properties. */
const NOT_GENERATED = /\(\?[=!<]|\\[bBpPk1-9]/;

/** The literal without flags that only change how it is used; ignoring case still accepts the letters as written. */
export function patternIn(node: AstNode | null): string | null {
  const { pattern, flags = "" } = (node?.["regex"] ?? {}) as { readonly pattern?: string; readonly flags?: string };
  if (pattern === undefined || NOT_GENERATED.test(pattern) || flags.includes("v")) return null;
  return `/${pattern}/${flags.replaceAll(/[^msu]/g, "")}`;
}

/** What a function of one statement returns. */
function returned(node: AstNode): AstNode | null {
  const body = nodeIn(node, "body");
  if (body?.type !== "BlockStatement") return body;
  const [first] = nodesIn(body, "body");
  return first?.type === "ReturnStatement" ? nodeIn(first, "argument") : null;
}

function pathIn(node: AstNode): string | null {
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type !== "MemberExpression" || node["computed"] === true) return null;
  const object = nodeIn(node, "object");
  const outer = object === null ? null : pathIn(object);
  const name = nameIn(nodeIn(node, "property"));
  return outer === null || name === null ? null : `${outer}.${name}`;
}

function numberIn(node: AstNode): number | null {
  if (node.type === "Literal" && typeof node["value"] === "number") return node["value"];
  const argument = nodeIn(node, "argument");
  const inner = node.type === "UnaryExpression" && node["operator"] === "-" && argument !== null ? numberIn(argument) : null;
  return inner === null ? null : -inner;
}
