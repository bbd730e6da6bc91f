import { childrenOf, nodeIn, nodesIn, visit, type AstNode } from "../ast-nodes.ts";
import type { FunctionSyntax } from "../function-node.ts";
import type { SmellAt, SmellDetector } from "../smells.ts";

/** A repeated block has at least this many statements. */
const MIN_STATEMENTS = 3;
const MIN_REPEATS = 2;
/** Numbers that mean the same everywhere. */
const PLAIN_NUMBERS = new Set([-1, 0, 1, 2, 10, 100]);

export const duplicationSmells: SmellDetector = (found) => [...repeatedBlocks(found), ...magicValues(found), ...missingTypes(found)];

/** The structure of a node: names and values count, places and formatting do not. */
function shapeOf(node: AstNode): string {
  const value =
    "name" in node ? String(node["name"]) : "value" in node && node.type === "Literal" ? JSON.stringify(String(node["raw"])) : "";
  const operator = typeof node["operator"] === "string" ? node["operator"] : "";
  return `${node.type}${operator}${value}(${childrenOf(node).map(shapeOf).join()})`;
}

/** Runs of statements that stand elsewhere in the file, too. */
function repeatedBlocks({ body, tree }: FunctionSyntax): SmellAt[] {
  const everywhere = new Map<string, number>();
  for (const run of statementRuns(tree.program)) everywhere.set(run.shape, (everywhere.get(run.shape) ?? 0) + 1);
  const repeated = statementRuns(body).find(({ shape }) => (everywhere.get(shape) ?? 0) >= MIN_REPEATS);
  if (repeated === undefined) return [];
  return [
    {
      id: "repeated-code-blocks",
      at: repeated.at,
      detail: `${MIN_STATEMENTS} statements stand ${everywhere.get(repeated.shape) ?? 0} times in the file`,
    },
  ];
}

function statementRuns(root: AstNode): { readonly shape: string; readonly at: number }[] {
  const runs: { shape: string; at: number }[] = [];
  visit(root, (node) => {
    if (node.type !== "BlockStatement" && node.type !== "SwitchCase") return;
    const statements = nodesIn(node, node.type === "SwitchCase" ? "consequent" : "body");
    const shapes = statements.map(shapeOf);
    for (let from = 0; from + MIN_STATEMENTS <= statements.length; from++) {
      runs.push({ shape: shapes.slice(from, from + MIN_STATEMENTS).join("\n"), at: statements[from]?.start ?? node.start });
    }
  });
  return runs;
}

/** Numbers in calculations and comparisons, and texts that are compared more than once. */
function magicValues({ body }: FunctionSyntax): SmellAt[] {
  const found: SmellAt[] = [];
  const texts = new Map<string, number>();
  visit(body, (node, parents) => {
    const parent = parents.at(-1);
    if (node.type !== "Literal" || parent === undefined || !isUse(parent)) return;
    const { value } = node;
    if (typeof value === "number" && !PLAIN_NUMBERS.has(value))
      found.push({ id: "magic-values", at: node.start, detail: `${value} has no name` });
    if (typeof value !== "string" || value === "") return;
    texts.set(value, (texts.get(value) ?? 0) + 1);
    if (texts.get(value) === 3) found.push({ id: "magic-values", at: node.start, detail: `${JSON.stringify(value)} is used three times` });
  });
  return found;
}

/** An operand or an argument; a constant with a name is no use. */
function isUse({ type }: AstNode): boolean {
  return type === "BinaryExpression" || type === "AssignmentExpression" || type === "ReturnStatement" || type === "CallExpression";
}

/** The same type with several members, written more than once in the file. */
function missingTypes({ node, tree }: FunctionSyntax): SmellAt[] {
  const counts = new Map<string, number>();
  visit(tree.program, (one) => {
    if (isLargeType(one)) counts.set(shapeOf(one), (counts.get(shapeOf(one)) ?? 0) + 1);
  });
  const found: SmellAt[] = [];
  visit(node, (one) => {
    const count = isLargeType(one) ? (counts.get(shapeOf(one)) ?? 0) : 0;
    if (count > 1) found.push({ id: "missing-type-abstraction", at: one.start, detail: `a type without a name is written ${count} times` });
  });
  return found.slice(0, 1);
}

function isLargeType(node: AstNode): boolean {
  if (node.type === "TSTypeLiteral") return nodesIn(node, "members").length >= 2;
  return node.type === "TSUnionType" && nodesIn(node, "types").filter((one) => nodeIn(one, "literal") !== null).length >= 3;
}
