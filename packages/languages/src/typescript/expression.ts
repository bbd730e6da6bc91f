import { childrenOf, isFunctionNode, nameIn, nodeIn, nodesIn, parseSource, visit, type AstNode } from "./ast-nodes.ts";

export interface ParsedExpression {
  readonly node: AstNode;
  readonly text: string;
  /** Names that it uses and does not declare itself, each once; `this` is one of them. */
  readonly names: readonly string[];
}

/** Names of the language that an expression in a test may use. Nothing here reaches a file, a process or another module. */
export const PLAIN_GLOBALS: ReadonlySet<string> = new Set(
  (
    "Math Number String Boolean Array Object JSON Set Map Date BigInt RegExp Symbol Infinity NaN undefined isNaN isFinite parseInt " +
    "parseFloat Error TypeError RangeError structuredClone Promise"
  ).split(" "),
);

const CHANGING = new Set([
  "AssignmentExpression",
  "UpdateExpression",
  "AwaitExpression",
  "YieldExpression",
  "ImportExpression",
  "MetaProperty",
]);
const FORBIDDEN_MEMBERS = new Set(["constructor", "__proto__", "prototype", "defineProperty", "setPrototypeOf", "assign"]);

/** The expression, or why a test cannot evaluate it. */
export function parseExpression(text: string, { mayAwait = false } = {}): ParsedExpression | { readonly problem: string } {
  const { program, errors } = parseSource(`(${text}\n);`);
  const [statement, ...others] = nodesIn(program, "body");
  const outer = statement === undefined ? null : nodeIn(statement, "expression");
  if (errors.length > 0 || others.length > 0 || outer?.type !== "ParenthesizedExpression" || outer.end !== text.length + 3) {
    return { problem: "it is no expression of the language" };
  }
  const node = nodeIn(outer, "expression") ?? outer;
  if (node.type === "SequenceExpression") return { problem: "it is no expression of the language" };
  let problem: string | null = null;
  visit(node, (one) => {
    if (one.type === "BlockStatement" || one.type === "ClassExpression") problem ??= "it has statements";
    if (CHANGING.has(one.type) && !(mayAwait && one.type === "AwaitExpression")) problem ??= "it changes or waits for something";
    if (one.type === "UnaryExpression" && one["operator"] === "delete") problem ??= "it changes or waits for something";
    const member = memberName(one);
    if (member !== null && FORBIDDEN_MEMBERS.has(member)) problem ??= `it uses ${member}`;
  });
  return problem === null ? { node, text, names: freeNames(node) } : { problem };
}

/** Whether an expression uses a name that it does not declare itself. */
export function usesName(text: string, name: string): boolean {
  const parsed = parseExpression(text);
  return "names" in parsed && parsed.names.includes(name);
}

function memberName(node: AstNode): string | null {
  if (node.type !== "MemberExpression") return null;
  const property = nodeIn(node, "property");
  return property?.type === "Literal" ? String(property["value"]) : node["computed"] === true ? null : nameIn(property);
}

/** Names that are used where no parameter of a function inside declares them. Functions have no statements here. */
function freeNames(node: AstNode): string[] {
  const used = new Set<string>();
  collect(node, new Set());
  return [...used];

  function collect(one: AstNode, scope: ReadonlySet<string>): void {
    if (one.type.startsWith("TS") && !TYPED_EXPRESSIONS.has(one.type)) return;
    if (one.type === "ThisExpression") used.add("this");
    if (one.type === "Identifier" && !scope.has(String(one["name"]))) used.add(String(one["name"]));
    if (!isFunctionNode(one)) {
      for (const child of childrenOf(one)) if (!isPropertyName(child, one)) collect(child, scope);
      return;
    }
    const inner = new Set(scope);
    for (const parameter of nodesIn(one, "params")) declareNames(parameter, inner);
    for (const child of [...nodesIn(one, "params"), ...nodesIn({ ...one, all: [one["body"]] }, "all")]) collect(child, inner);
  }
}

const TYPED_EXPRESSIONS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression", "TSInstantiationExpression"]);

function isPropertyName(node: AstNode, parent: AstNode): boolean {
  if (parent["computed"] === true) return false;
  if (parent.type === "MemberExpression") return parent["property"] === node;
  return parent.type === "Property" && parent["key"] === node;
}

/** Names that a pattern declares. Its default values declare none. */
export function declareNames(pattern: AstNode | null, into: Set<string>): void {
  if (pattern === null) return;
  const inner = { AssignmentPattern: "left", RestElement: "argument", TSParameterProperty: "parameter", Property: "value" }[pattern.type];
  if (inner !== undefined) declareNames(nodeIn(pattern, inner), into);
  else if (pattern.type === "Identifier") into.add(String(pattern["name"]));
  else for (const child of [...nodesIn(pattern, "elements"), ...nodesIn(pattern, "properties")]) declareNames(child, into);
}

/** The text with `this` written as another name. */
export function renameThis(text: string, name: string): string {
  const offset = 1;
  const { program } = parseSource(`(${text}\n);`);
  const places: number[] = [];
  visit(program, (node) => void (node.type === "ThisExpression" && places.push(node.start - offset)));
  return places.toReversed().reduce((rest, at) => `${rest.slice(0, at)}${name}${rest.slice(at + "this".length)}`, text);
}
