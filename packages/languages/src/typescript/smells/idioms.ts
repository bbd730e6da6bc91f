import { nameIn, nodeIn, nodesIn, visit, type AstNode } from "../ast-nodes.ts";
import type { FunctionSyntax } from "../function-node.ts";
import type { SmellAt, SmellDetector } from "../smells.ts";

export const idiomSmells: SmellDetector = (found) => [...imperativeLoops(found), ...manualResources(found), ...verboseNullChecks(found)];

/** Loops that only fill a list, count or sum: a statement that pushes or adds, alone or below one condition. */
function imperativeLoops({ body }: FunctionSyntax): SmellAt[] {
  const found: SmellAt[] = [];
  visit(body, (node) => {
    const isCounted = node.type === "ForStatement" && countsOverLength(node);
    const isOver = node.type === "ForOfStatement" && node["await"] !== true;
    const only = isCounted || isOver ? onlyStatement(nodeIn(node, "body")) : null;
    if (only !== null && collects(only)) found.push({ id: "imperative-loop", at: node.start, detail: "a loop only collects values" });
  });
  return found;
}

function countsOverLength(node: AstNode): boolean {
  const right = nodeIn(nodeIn(node, "test") ?? node, "right");
  return right?.type === "MemberExpression" && nameIn(nodeIn(right, "property")) === "length";
}

function onlyStatement(node: AstNode | null): AstNode | null {
  if (node?.type === "BlockStatement") {
    const statements = nodesIn(node, "body").filter(({ type }) => type !== "VariableDeclaration");
    return statements.length === 1 ? onlyStatement(statements[0] ?? null) : null;
  }
  return node?.type === "IfStatement" && nodeIn(node, "alternate") === null ? onlyStatement(nodeIn(node, "consequent")) : node;
}

function collects(statement: AstNode): boolean {
  const expression = statement.type === "ExpressionStatement" ? nodeIn(statement, "expression") : null;
  if (expression?.type === "AssignmentExpression") return expression["operator"] === "+=";
  const callee = expression?.type === "CallExpression" ? nodeIn(expression, "callee") : null;
  return callee?.type === "MemberExpression" && nameIn(nodeIn(callee, "property")) === "push";
}

const RELEASES = new Set(["close", "destroy", "release", "dispose", "end", "unlock", "disconnect"]);

/** A resource of this function that is released by hand, in `finally` or at its end. */
function manualResources({ body }: FunctionSyntax): SmellAt[] {
  const own = new Set<string>();
  const found: SmellAt[] = [];
  visit(body, (node) => {
    const name = node.type === "VariableDeclarator" ? nameIn(nodeIn(node, "id")) : null;
    const made = node.type === "VariableDeclarator" ? nodeIn(node, "init") : null;
    const call = made?.type === "AwaitExpression" ? nodeIn(made, "argument") : made;
    if (name !== null && (call?.type === "CallExpression" || call?.type === "NewExpression")) own.add(name);
    const callee = node.type === "CallExpression" ? nodeIn(node, "callee") : null;
    const object = callee?.type === "MemberExpression" ? nameIn(nodeIn(callee, "object")) : null;
    const method = callee?.type === "MemberExpression" ? nameIn(nodeIn(callee, "property")) : null;
    if (object !== null && own.has(object) && RELEASES.has(method ?? ""))
      found.push({
        id: "manual-resource-management",
        at: node.start,
        detail: `${object}.${method ?? ""}() is called by hand instead of using`,
      });
  });
  return found;
}

/** Comparisons with null or undefined that `?.` and `??` express. */
function verboseNullChecks({ body, tree }: FunctionSyntax): SmellAt[] {
  const found: SmellAt[] = [];
  const textOf = (node: AstNode | null) => (node === null ? "" : tree.text.slice(node.start, node.end));
  const push = (node: AstNode, detail: string) => found.push({ id: "verbose-null-handling", at: node.start, detail });
  visit(body, (node) => {
    if (node.type === "ConditionalExpression") {
      const checked = nullChecked(nodeIn(node, "test"));
      const kept = nodeIn(node, checked?.isPresent === true ? "consequent" : "alternate");
      if (checked !== null && textOf(kept) === textOf(checked.node)) push(node, "a conditional replaces null; use ??");
      else if (checked !== null && textOf(kept).startsWith(`${textOf(checked.node)}.`))
        push(node, "a conditional guards a property; use ?.");
    }
    if (node.type !== "LogicalExpression") return;
    const [left, right] = [nodeIn(node, "left"), nodeIn(node, "right")];
    const guarded = node["operator"] === "&&" && right?.type === "MemberExpression" ? textOf(nodeIn(right, "object")) : null;
    const checked = nullChecked(left);
    if (guarded !== null && (guarded === textOf(left) || (checked?.isPresent === true && guarded === textOf(checked.node))))
      push(node, "&& guards a property; use ?.");
    const [first, second] = [nullChecked(left), nullChecked(right)];
    if (first !== null && second !== null && textOf(first.node) === textOf(second.node))
      push(node, "null and undefined are compared apart");
  });
  return found;
}

function nullChecked(node: AstNode | null): { readonly node: AstNode; readonly isPresent: boolean } | null {
  const operator = node?.type === "BinaryExpression" ? String(node["operator"]) : "";
  if (node === null || !/^[!=]==?$/.test(operator)) return null;
  const sides = [nodeIn(node, "left"), nodeIn(node, "right")];
  const nothing = sides.findIndex((side) => (side?.type === "Literal" && side["raw"] === "null") || nameIn(side) === "undefined");
  const value = sides[1 - nothing];
  return nothing < 0 || value == null ? null : { node: value, isPresent: operator.startsWith("!") };
}
