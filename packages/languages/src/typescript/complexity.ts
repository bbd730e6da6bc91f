import type { ParsedSource } from "../adapter.ts";
import type { ComplexityReading } from "../analysis/complexity.ts";
import { childrenOf, nodeIn, visit, type AstNode } from "./ast-nodes.ts";
import { functionSyntax, type FunctionSyntax } from "./function-node.ts";

const LOOPS = ["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"];
const DECISIONS = new Set(["IfStatement", "ConditionalExpression", "CatchClause", ...LOOPS]);
const SHORT_CIRCUITS = new Set(["&&", "||", "??", "&&=", "||=", "??="]);
const NESTING = new Set(["IfStatement", "SwitchStatement", "TryStatement", ...LOOPS]);

/** Functions inside a body belong to it. */
export function complexityOf(ast: ParsedSource, name: string): ComplexityReading {
  const found = functionSyntax(ast, name);
  return { cyclomatic: cyclomaticOf(found.body), lines: codeLines(found), nesting: nestingOf(found.body) };
}

export function cyclomaticOf(body: AstNode): number {
  let paths = 1;
  visit(body, (node) => {
    const isCase = node.type === "SwitchCase" && nodeIn(node, "test") !== null;
    const isShort =
      (node.type === "LogicalExpression" || node.type === "AssignmentExpression") && SHORT_CIRCUITS.has(String(node["operator"]));
    if (DECISIONS.has(node.type) || isCase || isShort) paths++;
  });
  return paths;
}

/** How many statements with blocks are inside each other. `else if` is on the level of its `if`. */
export function nestingOf(node: AstNode, parent: AstNode | null = null): number {
  const isElseIf = node.type === "IfStatement" && parent?.type === "IfStatement" && parent["alternate"] === node;
  const own = NESTING.has(node.type) && !isElseIf ? 1 : 0;
  return own + Math.max(0, ...childrenOf(node).map((child) => nestingOf(child, node)));
}

/** Lines between the braces with code on them. */
export function codeLines({ body, tree }: FunctionSyntax): number {
  const isBlock = body.type === "BlockStatement";
  const [start, end] = isBlock ? [body.start + 1, body.end - 1] : [body.start, body.end];
  let text = tree.text.slice(start, end);
  for (const comment of tree.comments.filter((one) => one.start >= start && one.end <= end).toReversed()) {
    const blank = tree.text.slice(comment.start, comment.end).replace(/[^\n]/g, " ");
    text = text.slice(0, comment.start - start) + blank + text.slice(comment.end - start);
  }
  return text.split("\n").filter((line) => line.trim() !== "").length;
}
