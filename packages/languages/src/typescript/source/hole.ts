import type { Function as FunctionNode, ArrowFunctionExpression, Statement } from "oxc-parser";

/** The text of a body that has not been written yet. Strict TypeScript accepts it in a function of any return type. */
export const HOLE = `throw new Error("hole");`;

export type AnyFunction = FunctionNode | ArrowFunctionExpression;

/** Whether the body is the hole marker and nothing else. A constructor of a derived class has its `super` call before it. */
export function isHoleBody(body: AnyFunction["body"], isDerivedConstructor: boolean): boolean {
  if (body?.type !== "BlockStatement") return false;
  const [first, ...rest] = body.body;
  if (isDerivedConstructor && first !== undefined && isPlainSuperCall(first)) return rest.length === 1 && rest.every(isHoleStatement);
  return first !== undefined && rest.length === 0 && isHoleStatement(first);
}

function isHoleStatement(statement: Statement | { readonly type: string }): boolean {
  const { type } = statement;
  if (type !== "ThrowStatement") return false;
  const { argument } = statement as Extract<Statement, { type: "ThrowStatement" }>;
  if (argument.type !== "NewExpression" || argument.callee.type !== "Identifier" || argument.callee.name !== "Error") return false;
  const [message, ...more] = argument.arguments;
  return message?.type === "Literal" && message.value === "hole" && more.length === 0;
}

/** TypeScript wants the call in every constructor of a derived class. It may only pass on parameters and literals. */
function isPlainSuperCall(statement: Statement | { readonly type: string }): boolean {
  if (statement.type !== "ExpressionStatement") return false;
  const { expression } = statement as Extract<Statement, { type: "ExpressionStatement" }>;
  if (expression.type !== "CallExpression" || expression.callee.type !== "Super") return false;
  return expression.arguments.every(({ type }) => type === "Identifier" || type === "Literal");
}
