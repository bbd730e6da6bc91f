import { nameIn, nodeIn, nodesIn, type AstNode, type SyntaxTree } from "../ast-nodes.ts";

/** `a.b.c` for a member expression, with computed keys that are literals; unknown parts are `?`. */
export function memberPath(node: AstNode | null): string {
  if (node === null) return "?";
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "ThisExpression") return "this";
  if (
    node.type === "ParenthesizedExpression" ||
    node.type === "ChainExpression" ||
    node.type === "TSAsExpression" ||
    node.type === "TSNonNullExpression"
  )
    return memberPath(nodeIn(node, "expression"));
  if (node.type !== "MemberExpression") return "?";
  const property = nodeIn(node, "property");
  const key = property?.type === "Literal" ? String(property["value"]) : node["computed"] === true ? "?" : (nameIn(property) ?? "?");
  return `${memberPath(nodeIn(node, "object"))}.${key}`;
}

export function calledName(node: AstNode): string {
  return memberPath(nodeIn(node, "callee"));
}

/** The module that a name was imported from, or that an import names. */
export function moduleOf(node: AstNode, system: ReadonlyMap<string, string>): string | null {
  if (node.type === "ImportDeclaration" && node["importKind"] !== "type")
    return String(nodeIn(node, "source")?.["value"]).replace(/^node:/, "");
  return node.type === "Identifier" ? (system.get(String(node["name"])) ?? null) : null;
}

/** Whether a name is used as a value here: no property, no key, no type, no part of its import. */
export function isReference(node: AstNode, parents: readonly AstNode[]): boolean {
  const parent = parents.at(-1);
  if (node.type === "ImportDeclaration") return true;
  if (parent === undefined || parent.type.startsWith("Import") || parent.type === "TSTypeReference" || parent.type === "TSQualifiedName")
    return false;
  if (parent.type === "MemberExpression") return parent["object"] === node || parent["computed"] === true;
  return (
    !(parent.type === "Property" && parent["key"] === node) &&
    parent.type !== "TSPropertySignature" &&
    parent["id"] !== node &&
    !isParameter(node, parent)
  );
}

function isParameter(node: AstNode, parent: AstNode): boolean {
  return nodesIn(parent, "params").includes(node);
}

/** The text of a template or a sum with values in it; null for a plain text. */
export function builtText(node: AstNode, tree: SyntaxTree): string | null {
  const isTemplate = node.type === "TemplateLiteral" && nodesIn(node, "expressions").length > 0;
  const isSum = node.type === "BinaryExpression" && node["operator"] === "+" && hasText(node) && !isPlain(node);
  return isTemplate || isSum ? tree.text.slice(node.start, node.end) : null;
}

function hasText(node: AstNode): boolean {
  if (node.type === "Literal") return typeof node["value"] === "string";
  return node.type === "BinaryExpression" && [nodeIn(node, "left"), nodeIn(node, "right")].some((side) => side !== null && hasText(side));
}

function isPlain(node: AstNode): boolean {
  if (node.type === "BinaryExpression")
    return [nodeIn(node, "left"), nodeIn(node, "right")].every((side) => side !== null && isPlain(side));
  return node.type === "Literal";
}
