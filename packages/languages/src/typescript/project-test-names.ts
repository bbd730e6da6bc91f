import type { DeclaredTest } from "../language.ts";
import { parseSource, visit, type AstNode } from "./ast-nodes.ts";

/** The tests that a file declares with literal names. A computed name is null. Suites are not listed. */
export function projectTestNames(file: string, text: string): DeclaredTest[] {
  const { program, errors } = parseSource(text);
  if (errors.length > 0) return [];
  const found: DeclaredTest[] = [];
  visit(program, (node) => {
    if (!isTestCall(node)) return;
    const [name] = node["arguments"] as AstNode[];
    const isLiteral = name?.type === "Literal" && typeof name["value"] === "string";
    found.push({ file, name: isLiteral ? String(name["value"]) : null });
  });
  return found;
}

function isTestCall(node: AstNode): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = node["callee"] as AstNode;
  return callee.type === "Identifier" && (callee["name"] === "test" || callee["name"] === "it");
}
