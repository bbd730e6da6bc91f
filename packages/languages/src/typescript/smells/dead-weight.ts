import { nameIn, nodeIn, nodesIn, visit, type AstNode } from "../ast-nodes.ts";
import { declareNames } from "../expression.ts";
import type { FunctionSyntax } from "../function-node.ts";
import type { SmellAt, SmellDetector } from "../smells.ts";

export const deadWeightSmells: SmellDetector = (found) => [...unusedBindings(found), ...unreachable(found), ...conversions(found)];

/** Constants and variables of the body that nothing reads. Parameters belong to the signature. */
function unusedBindings({ body }: FunctionSyntax): SmellAt[] {
  const declared = new Map<string, number>();
  const read = new Set<string>();
  visit(body, (node, parents) => {
    const parent = parents.at(-1);
    if (node.type === "VariableDeclarator" || node.type === "FunctionDeclaration") {
      const names = new Set<string>();
      declareNames(nodeIn(node, "id"), names);
      for (const name of names) if (!name.startsWith("_")) declared.set(name, node.start);
    }
    if (node.type === "Identifier" && parent !== undefined && reads(node, parent, parents)) read.add(String(node["name"]));
  });
  return [...declared]
    .filter(([name]) => !read.has(name))
    .map(([name, at]) => ({ id: "unused-binding", at, detail: `${name} is never read` }));
}

function reads(node: AstNode, parent: AstNode, parents: readonly AstNode[]): boolean {
  if (parent.type === "MemberExpression") return parent["object"] === node || parent["computed"] === true;
  if (parent.type === "Property" && parent["key"] === node && parent["shorthand"] !== true) return parent["computed"] === true;
  if (parents.some((one, at) => one.type === "VariableDeclarator" && isWithin(one["id"], node) && at >= 0)) return false;
  if (parent.type === "FunctionDeclaration" && parent["id"] === node) return false;
  if (parent.type !== "AssignmentExpression" || parent["left"] !== node) return true;
  return parents.at(-2)?.type !== "ExpressionStatement";
}

function isWithin(pattern: unknown, node: AstNode): boolean {
  const { start, end } = pattern as AstNode;
  return node.start >= start && node.end <= end;
}

const ENDINGS = new Set(["ReturnStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"]);
const HOISTED = new Set(["FunctionDeclaration", "TSTypeAliasDeclaration", "TSInterfaceDeclaration"]);

/** Statements after one that always leaves, and branches of a condition that is a literal. */
function unreachable({ body }: FunctionSyntax): SmellAt[] {
  const found: SmellAt[] = [];
  const push = (node: AstNode) => found.push({ id: "unreachable-code", at: node.start, detail: "this statement is never reached" });
  visit(body, (node) => {
    const statements =
      node.type === "BlockStatement" ? nodesIn(node, "body") : node.type === "SwitchCase" ? nodesIn(node, "consequent") : [];
    const end = statements.findIndex(leavesAlways);
    const after = end < 0 ? undefined : statements.slice(end + 1).find(({ type }) => !HOISTED.has(type));
    if (after !== undefined) push(after);
    const test = node.type === "IfStatement" ? nodeIn(node, "test") : null;
    if (test?.type !== "Literal") return;
    const dead = nodeIn(node, test["value"] ? "alternate" : "consequent");
    if (dead !== null) push(dead);
  });
  return found;
}

function leavesAlways(node: AstNode): boolean {
  if (ENDINGS.has(node.type)) return true;
  if (node.type === "BlockStatement") return nodesIn(node, "body").some(leavesAlways);
  const [yes, no] = [nodeIn(node, "consequent"), nodeIn(node, "alternate")];
  return node.type === "IfStatement" && yes !== null && no !== null && leavesAlways(yes) && leavesAlways(no);
}

/** Functions whose result has the type already. */
const CONVERTS: Readonly<Record<string, string>> = { String: "string", Number: "number", Boolean: "boolean" };
const SAME_METHOD = new Set(["toString", "toLowerCase", "toUpperCase", "trim", "valueOf"]);

function conversions({ body }: FunctionSyntax): SmellAt[] {
  const found: SmellAt[] = [];
  const push = (node: AstNode, detail: string) => found.push({ id: "redundant-conversions", at: node.start, detail });
  visit(body, (node) => {
    if (
      node.type === "UnaryExpression" &&
      node["operator"] === "!" &&
      isNot(nodeIn(node, "argument")) &&
      isBoolean(nodeIn(nodeIn(node, "argument") ?? node, "argument"))
    )
      push(node, "!! converts a boolean");
    if (node.type !== "CallExpression") return;
    const callee = nodeIn(node, "callee");
    const [argument] = nodesIn(node, "arguments");
    const to = CONVERTS[nameIn(callee) ?? ""];
    if (to !== undefined && argument !== undefined && typeIn(argument) === to) push(node, `${nameIn(callee) ?? ""}() converts a ${to}`);
    const method = callee?.type === "MemberExpression" ? nameIn(nodeIn(callee, "property")) : null;
    const object = callee?.type === "MemberExpression" ? nodeIn(callee, "object") : null;
    const inner = object?.type === "CallExpression" ? nodeIn(object, "callee") : null;
    const isTwice = inner?.type === "MemberExpression" && nameIn(nodeIn(inner, "property")) === method && SAME_METHOD.has(method ?? "");
    if (isTwice || (method === "toString" && object !== null && typeIn(object) === "string"))
      push(node, `${method ?? ""}() changes nothing`);
  });
  return found;
}

const isNot = (node: AstNode | null): boolean => node?.type === "UnaryExpression" && node["operator"] === "!";
const isBoolean = (node: AstNode | null): boolean => node !== null && typeIn(node) === "boolean";

/** The type of an expression where its form says it. */
function typeIn(node: AstNode): string | null {
  if (node.type === "ParenthesizedExpression") return typeIn(nodeIn(node, "expression") ?? node);
  if (node.type === "Literal") return typeof node["value"];
  if (node.type === "TemplateLiteral") return "string";
  if (node.type === "BinaryExpression") return /^[<>=!]/.test(String(node["operator"])) ? "boolean" : null;
  if (isNot(node)) return "boolean";
  return node.type === "CallExpression" ? (CONVERTS[nameIn(nodeIn(node, "callee")) ?? ""] ?? null) : null;
}
