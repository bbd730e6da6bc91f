import type { Comment } from "oxc-parser";
import { childrenOf, isFunctionNode, nodeIn, nodesIn, type AstNode } from "../ast-nodes.ts";
import { docBefore } from "./doc-comments.ts";

/** A text with its comments, from which definitions are cut. */
export interface CutText {
  readonly text: string;
  readonly comments: readonly Comment[];
}

/** The text of one declaration without bodies. Private members of a class are left out unless they are asked for. */
export function definitionText(from: CutText, statement: AstNode, node: AstNode, withPrivate: boolean): string {
  const doc = docText(from, statement);
  if (node.type === "ClassDeclaration") return `${doc}${classText(from, statement, node, withPrivate)}`;
  if (isFunctionNode(node)) return `${doc}${signatureText(from, statement, node)}`;
  if (node.type === "VariableDeclarator") return `${doc}${constantText(from, statement, node)}`;
  return `${doc}${cut(from, statement.start, statement.end)}`;
}

function cut({ text }: CutText, start: number, end: number): string {
  return text.slice(start, end).trim();
}

function docText(from: CutText, { start }: AstNode, indent = ""): string {
  const doc = docBefore(from.text, from.comments, start);
  if (doc === null) return "";
  const lines = from.text.slice(doc.start, doc.end).split(/\r?\n/);
  return `${lines.map((line, index) => `${indent}${index === 0 ? line : ` ${line.trimStart()}`}`).join("\n")}\n`;
}

function signatureText(from: CutText, whole: AstNode, node: AstNode): string {
  const end = nodeIn(node, "body")?.start ?? whole.end;
  return `${cut(from, whole.start, end).replace(/;$/, "")};`;
}

function classText(from: CutText, statement: AstNode, node: AstNode, withPrivate: boolean): string {
  const body = nodeIn(node, "body");
  const members = body === null ? [] : nodesIn(body, "body").filter((member) => withPrivate || !isPrivate(member));
  const lines = members.flatMap((member) => {
    const text = memberText(from, member);
    return text === null ? [] : [`${docText(from, member, "  ")}  ${text}\n`];
  });
  return `${cut(from, statement.start, body?.start ?? node.end)} {\n${lines.join("")}}`;
}

function isPrivate(member: AstNode): boolean {
  return member["accessibility"] === "private" || nodeIn(member, "key")?.type === "PrivateIdentifier";
}

function memberText(from: CutText, member: AstNode): string | null {
  const value = nodeIn(member, "value");
  if (member.type === "StaticBlock") return null;
  if (member.type === "MethodDefinition" && value !== null) return signatureText(from, member, value);
  if (value === null) return `${cut(from, member.start, member.end).replace(/;$/, "")};`;
  const annotation = nodeIn(member, "typeAnnotation");
  if (annotation !== null) return `${cut(from, member.start, annotation.end)};`;
  return `${cut(from, member.start, nodeIn(member, "key")?.end ?? value.start)}: ${valueType(from, value)};`;
}

function constantText(from: CutText, statement: AstNode, node: AstNode): string {
  const id = nodeIn(node, "id");
  const init = nodeIn(node, "init");
  const annotation = id === null ? null : nodeIn(id, "typeAnnotation");
  if (id === null || (init !== null && annotation === null && !holdsFunction(init))) return cut(from, statement.start, statement.end);
  const name = String(id["name"]);
  if (annotation !== null || init === null)
    return `declare const ${name}${annotation === null ? "" : cut(from, annotation.start, annotation.end)};`;
  return `declare const ${name}: ${valueType(from, init)};`;
}

function holdsFunction(node: AstNode): boolean {
  return isFunctionNode(node) || childrenOf(node).some(holdsFunction);
}

/** The type of an initial value as far as its text shows it. */
function valueType(from: CutText, value: AstNode): string {
  const typed = ["TSAsExpression", "TSSatisfiesExpression", "ParenthesizedExpression"].includes(value.type)
    ? nodeIn(value, "expression")
    : null;
  if (typed !== null) return valueType(from, typed);
  if (isFunctionNode(value)) return `${head(from, value)} => ${returnText(from, value)}`;
  if (value.type !== "ObjectExpression") return value.type === "Literal" ? cut(from, value.start, value.end) : "unknown";
  const properties = nodesIn(value, "properties").flatMap((property) => {
    const [key, inner] = [nodeIn(property, "key"), nodeIn(property, "value")];
    return key === null || inner === null ? [] : [`${cut(from, key.start, key.end)}: ${valueType(from, inner)}`];
  });
  return `{ ${properties.join("; ")} }`;
}

function head(from: CutText, value: AstNode): string {
  const types = nodeIn(value, "typeParameters");
  const parameters = nodesIn(value, "params").map(({ start, end }) => cut(from, start, end));
  return `${types === null ? "" : cut(from, types.start, types.end)}(${parameters.join(", ")})`;
}

function returnText(from: CutText, value: AstNode): string {
  const returns = nodeIn(value, "returnType");
  return returns === null ? "unknown" : cut(from, returns.start, returns.end).replace(/^:\s*/, "");
}
