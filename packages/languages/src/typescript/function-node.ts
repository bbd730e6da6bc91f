import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ParsedSource } from "../adapter.ts";
import { isFunctionNode, nodeIn, parseSource, visit, type AstNode, type SyntaxTree } from "./ast-nodes.ts";

/** A function of a parsed file with its syntax. */
export interface FunctionSyntax {
  readonly name: string;
  readonly node: AstNode;
  readonly body: AstNode;
  readonly tree: SyntaxTree;
}

const trees = new WeakMap<ParsedSource, SyntaxTree>();

export function syntaxOf(ast: ParsedSource): SyntaxTree {
  const tree = trees.get(ast) ?? parseSource(ast.text);
  trees.set(ast, tree);
  return tree;
}

export function functionSyntax(ast: ParsedSource, name: string): FunctionSyntax {
  const tree = syntaxOf(ast);
  const span = ast.functions.find((one) => one.name === name)?.body;
  let found: FunctionSyntax | null = null;
  visit(tree.program, (node) => {
    const body = isFunctionNode(node) ? nodeIn(node, "body") : null;
    if (body === null || span === undefined || found !== null) return;
    const isIt =
      body.type === "BlockStatement"
        ? body.start === span.start && body.end === span.end
        : node.end === span.end && body.start >= span.start;
    if (isIt) found = { name, node, body, tree };
  });
  if (found !== null) return found;
  throw new SlipwayError("function_not_found", `The file has no function ${name} with a body.`, {
    function: name,
    suggested_next_actions: [`Use one of: ${ast.functions.map((one) => one.name).join(", ")}.`],
  });
}
