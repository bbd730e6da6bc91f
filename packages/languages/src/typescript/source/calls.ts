import type { Node } from "oxc-parser";
import { walkNodes } from "./program.ts";

/** Names of called functions as written, each once, in the order of the text. `new Account()` calls `Account.constructor`. */
export function callsIn(body: Node): string[] {
  const names = new Set<string>();
  const add = (node: Node) => {
    if (node.type === "CallExpression") note(nameOf(node.callee));
    else if (node.type === "TaggedTemplateExpression") note(nameOf(node.tag));
    else if (node.type === "NewExpression") note(nameOf(node.callee), ".constructor");
  };
  const note = (name: string | null, ending = "") => {
    if (name !== null) names.add(`${name}${ending}`);
  };
  add(body);
  walkNodes(body, add);
  return [...names];
}

function nameOf(callee: Node): string | null {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "ThisExpression") return "this";
  if (callee.type === "Super") return "super";
  if (callee.type === "ChainExpression" || callee.type === "TSNonNullExpression") return nameOf(callee.expression);
  if (callee.type !== "MemberExpression" || callee.computed) return null;
  const object = nameOf(callee.object);
  const mark = callee.property.type === "PrivateIdentifier" ? "#" : "";
  return object === null || !("name" in callee.property) ? null : `${object}.${mark}${callee.property.name}`;
}
