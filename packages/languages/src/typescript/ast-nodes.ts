import { parseSync, visitorKeys, type Comment, type OxcError, type Program } from "oxc-parser";
import { isTooDeep } from "./source/nesting.ts";

/** A node of oxc's syntax tree, with UTF-16 offsets. */
export interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface SyntaxTree {
  readonly program: AstNode;
  readonly comments: readonly Comment[];
  readonly errors: readonly OxcError[];
  readonly text: string;
}

/** Does not parse. Stands for text that would overflow the native parser's stack. */
const TOO_DEEP = "(";

export function parseSource(text: string, name = "source.ts"): SyntaxTree {
  const { program, comments, errors } = parseSync(name, isTooDeep(text) ? TOO_DEEP : text, { lang: "ts", sourceType: "module" });
  return { program: asNode(program), comments, errors, text };
}

function asNode(program: Program): AstNode {
  return program as unknown as AstNode;
}

export function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

export function nodeIn(node: AstNode, field: string): AstNode | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

export function nodesIn(node: AstNode, field: string): AstNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, or null. */
export function nameIn(node: AstNode | null): string | null {
  return node !== null && (node.type === "Identifier" || node.type === "PrivateIdentifier") ? String(node["name"]) : null;
}

export function childrenOf(node: AstNode): AstNode[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    const value = node[key];
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
  });
}

/** Calls `look` for a node and everything below it, outer nodes first. If it returns false, what is below is left out. */
export function visit(node: AstNode, look: (node: AstNode, parents: readonly AstNode[]) => unknown): void {
  const parents: AstNode[] = [];
  const go = (current: AstNode): void => {
    if (look(current, parents) === false) return;
    parents.push(current);
    for (const child of childrenOf(current)) go(child);
    parents.pop();
  };
  go(node);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

const FUNCTION_TYPES = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "TSDeclareFunction"]);

export function isFunctionNode(node: AstNode): boolean {
  return FUNCTION_TYPES.has(node.type);
}
