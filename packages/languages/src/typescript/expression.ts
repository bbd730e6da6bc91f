import { nameIn, nodeIn, nodesIn, parseSource, visit, type AstNode } from "./ast-nodes.ts";

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
    if (CHANGING.has(one.type) && !(mayAwait && one.type === "AwaitExpression")) problem ??= "it changes or waits for something";
    if (one.type === "UnaryExpression" && one["operator"] === "delete") problem ??= "it changes or waits for something";
    const member = memberName(one);
    if (member !== null && FORBIDDEN_MEMBERS.has(member)) problem ??= `it uses ${member}`;
  });
  return problem === null ? { node, text, names: freeNames(node) } : { problem };
}

function memberName(node: AstNode): string | null {
  if (node.type !== "MemberExpression") return null;
  const property = nodeIn(node, "property");
  return property?.type === "Literal" ? String(property["value"]) : node["computed"] === true ? null : nameIn(property);
}

/** Names that are used and not declared inside. */
export function freeNames(node: AstNode): string[] {
  const used = new Set<string>();
  const declared = new Set<string>();
  visit(node, (one, parents) => {
    if (one.type === "ThisExpression") used.add("this");
    if (
      one.type.startsWith("TS") &&
      one.type !== "TSAsExpression" &&
      one.type !== "TSNonNullExpression" &&
      one.type !== "TSSatisfiesExpression"
    )
      return false;
    if (one.type === "ArrowFunctionExpression" || one.type === "FunctionExpression")
      for (const parameter of nodesIn(one, "params")) declareNames(parameter, declared);
    if (one.type === "VariableDeclarator") declareNames(nodeIn(one, "id"), declared);
    const parent = parents.at(-1);
    if (one.type === "Identifier" && !isPropertyName(one, parent)) used.add(String(one["name"]));
    return true;
  });
  return [...used].filter((name) => !declared.has(name));
}

function isPropertyName(node: AstNode, parent: AstNode | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent["property"] === node && parent["computed"] !== true;
  return parent?.type === "Property" && parent["key"] === node && parent["computed"] !== true && parent["shorthand"] !== true;
}

export function declareNames(pattern: AstNode | null, into: Set<string>): void {
  if (pattern === null) return;
  visit(pattern, (node, parents) => {
    if (node.type.startsWith("TS") && node.type !== "TSParameterProperty") return false;
    if (node.type === "Identifier" && !isPropertyName(node, parents.at(-1))) into.add(String(node["name"]));
    return true;
  });
}

/** The text with `this` written as another name. */
export function renameThis(text: string, name: string): string {
  const offset = 1;
  const { program } = parseSource(`(${text}\n);`);
  const places: number[] = [];
  visit(program, (node) => void (node.type === "ThisExpression" && places.push(node.start - offset)));
  return places.toReversed().reduce((rest, at) => `${rest.slice(0, at)}${name}${rest.slice(at + "this".length)}`, text);
}
