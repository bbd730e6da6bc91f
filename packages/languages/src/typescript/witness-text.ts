import { nodeIn, type AstNode } from "./ast-nodes.ts";

const words = (name: string): string[] =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== "");

export function kebabCase(name: string): string {
  return words(name).join("-").toLowerCase();
}

export function pascalCase(name: string): string {
  return words(name)
    .map((word) => `${word[0]?.toUpperCase() ?? ""}${word.slice(1)}`)
    .join("");
}

export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return `${pascal[0]?.toLowerCase() ?? ""}${pascal.slice(1)}`;
}

/** A documentation comment that none of its lines can end. */
export function commentText(lines: readonly string[]): string {
  const written = lines.flatMap((line) => line.split(/[\r\n\u2028\u2029]+/)).map((line) => line.replaceAll("*/", "*\\/").trimEnd());
  const kept = written.filter((line) => line !== "");
  if (kept.length === 1) return `/** ${kept.join("")} */\n`;
  return kept.length === 0 ? "" : `/**\n${kept.map((line) => ` * ${line}\n`).join("")} */\n`;
}

const NUMBERS = /^(?:[iu](?:8|16|32|64|size)|f(?:32|64)|int|float|double)$/;

/** Names of basic types in other languages, which definitions may use. */
export function innerType(text: string): string {
  const trimmed = text.trim();
  const list = /^Vec<(.*)>$/s.exec(trimmed)?.[1];
  if (list !== undefined) return `${innerType(list)}[]`;
  if (NUMBERS.test(trimmed)) return "number";
  if (trimmed === "String" || trimmed === "str") return "string";
  return trimmed === "bool" ? "boolean" : trimmed;
}

const COMPARISONS = new Set(["==", "!=", "===", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);
const PREDICATES = new Set(
  "every some includes startsWith endsWith has test isInteger isSafeInteger isFinite isNaN isArray hasOwn".split(" "),
);

/** The expression as a condition of type boolean. */
export function booleanText(node: AstNode, text: string): string {
  const line = /\n|\/\//.test(text) ? `(${text}\n  )` : text;
  return isBoolean(node) ? line : `Boolean(${line})`;
}

function isBoolean(node: AstNode): boolean {
  const inner = nodeIn(node, "expression");
  if (node.type === "ParenthesizedExpression" && inner !== null) return isBoolean(inner);
  if (node.type === "BinaryExpression") return COMPARISONS.has(String(node["operator"]));
  if (node.type === "UnaryExpression") return node["operator"] === "!";
  if (node.type === "Literal") return typeof node["value"] === "boolean";
  const [left, right] = [nodeIn(node, "left"), nodeIn(node, "right")];
  if (node.type === "LogicalExpression" && left !== null && right !== null) return isBoolean(left) && isBoolean(right);
  const callee = node.type === "CallExpression" ? nodeIn(node, "callee") : null;
  const property = callee === null ? null : (nodeIn(callee, "property") ?? callee);
  return property !== null && PREDICATES.has(String(property["name"]));
}
