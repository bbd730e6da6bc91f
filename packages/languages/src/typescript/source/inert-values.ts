import type { Expression, NewExpression, Node, Span } from "oxc-parser";
import { withoutTypes } from "./find-functions.ts";

/**
 * What in a value runs code when it is evaluated. Literals, names, arithmetic, and arrays, objects, sets and maps of them do not; neither do
 * the functions that have a name (`known`), whose bodies are inspected elsewhere.
 */
export function inertProblems(value: Expression, known: ReadonlySet<Node>): { readonly at: Span; readonly message: string }[] {
  const plain = withoutTypes(value);
  if (known.has(plain)) return [];
  switch (plain.type) {
    case "Literal":
    case "Identifier":
      return [];
    case "TemplateLiteral":
      return plain.expressions.flatMap((one) => inertProblems(one, known));
    case "UnaryExpression":
      return /^[-+!~]$|^void$/.test(plain.operator) && withoutTypes(plain.argument).type === "Literal" ? [] : running(plain);
    case "BinaryExpression":
      return ARITHMETIC.has(plain.operator) && plain.left.type !== "PrivateIdentifier"
        ? [plain.left, plain.right].flatMap((one) => inertProblems(one, known))
        : running(plain);
    case "NewExpression":
      // An empty one would be a variable that all functions share.
      return isCollection(plain) && plain.arguments.length > 0
        ? plain.arguments.flatMap((one) => (one.type === "SpreadElement" ? running(one) : inertProblems(one, known)))
        : running(plain);
    case "ArrayExpression":
      return plain.elements.flatMap((one) => (one === null ? [] : one.type === "SpreadElement" ? running(one) : inertProblems(one, known)));
    case "ObjectExpression":
      return plain.properties.flatMap((one) => {
        if (one.type === "SpreadElement" || (one.computed && one.key.type !== "Literal")) return running(one);
        return inertProblems(one.value, known);
      });
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [{ at: plain, message: "A function without a name of its own cannot be filled in." }];
    case "ClassExpression":
      return [{ at: plain, message: "Declare the class instead of assigning it." }];
    default:
      return running(plain);
  }
}

const ARITHMETIC = new Set(["+", "-", "*", "/", "%", "**"]);

/** A set or map of the language. */
function isCollection(node: Expression): node is NewExpression {
  return node.type === "NewExpression" && node.callee.type === "Identifier" && /^(?:Weak)?(?:Map|Set)$/.test(node.callee.name);
}

/** Each object has its own empty collection in the field. */
export function isEmptyCollection(value: Expression): boolean {
  const plain = withoutTypes(value);
  return isCollection(plain) && plain.arguments.length === 0;
}

const KINDS: Readonly<Record<string, string>> = {
  CallExpression: "A call",
  NewExpression: "A new object",
  AwaitExpression: "An await",
  ImportExpression: "An import",
  AssignmentExpression: "An assignment",
  TaggedTemplateExpression: "A call",
  SpreadElement: "A spread",
};

function running(at: Node): { readonly at: Span; readonly message: string }[] {
  return [{ at, message: `${KINDS[at.type] ?? "An expression"} is evaluated when the file is loaded: a skeleton has literals only.` }];
}
