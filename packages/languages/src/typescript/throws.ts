import type { Node, SourceFile, TryStatement } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isCallExpression,
  isConditionalExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isThrowStatement,
  isTryStatement,
} from "typescript/unstable/ast/is";
import { TypeFlags, type Checker, type Type } from "typescript/unstable/sync";
import { walk } from "./walk.ts";

export interface Thrown {
  /** The class of the thrown value. */
  readonly name: string;
  /** The whole expression, for codes passed to it. */
  readonly text: string;
}

/** Errors that leave the functions of a file by `throw` or `Promise.reject`. An error that a catch only rethrows has no name here. */
export function thrownIn(file: SourceFile, checker: Checker): Thrown[] {
  const found: Thrown[] = [];
  walk(file, (node) => {
    const expression = thrownExpression(node);
    for (const value of expression === null ? [] : alternatives(expression)) {
      const type = checker.getTypeAtLocation(value);
      const names = type === undefined ? [] : namesOf(type).filter((name) => !isCaughtHere(node, name, file));
      for (const name of names) found.push({ name, text: value.getText(file) });
    }
  });
  return found;
}

function thrownExpression(node: Node): Node | null {
  if (isThrowStatement(node)) return node.expression ?? null;
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return null;
  return /^Promise\s*\.\s*reject$/.test(node.expression.getText()) ? (node.arguments[0] ?? null) : null;
}

/** Each separately, because the compiler merges errors of the same shape into one type. */
function alternatives(node: Node): Node[] {
  if (isParenthesizedExpression(node)) return alternatives(node.expression);
  return isConditionalExpression(node) ? [node.whenTrue, node.whenFalse].flatMap(alternatives) : [node];
}

function namesOf(type: Type): string[] {
  if (type.isUnionType()) return type.getTypes().flatMap(namesOf);
  if ((type.flags & TypeFlags.AnyOrUnknown) !== 0) return [];
  return [type.getSymbol()?.name ?? "a value that is no error"];
}

/** Whether it is in a try with a catch, in the same function; a catch that rethrows keeps only the errors it names. */
function isCaughtHere(node: Node, name: string, file: SourceFile): boolean {
  for (let at = node; at.parent !== undefined && !isFunction(at); at = at.parent) {
    if (!isTryStatement(at.parent) || at.parent.catchClause === undefined || !isBlockOf(at.parent, at)) continue;
    const { catchClause } = at.parent;
    const caught = catchClause.variableDeclaration?.name.getText(file);
    if (!throwsOn(catchClause, caught, file) || catchClause.getText(file).includes(name)) return true;
  }
  return false;
}

function throwsOn(clause: Node, caught: string | undefined, file: SourceFile): boolean {
  let found = false;
  walk(clause, (node) => {
    if (isThrowStatement(node) && node.expression?.getText(file) === caught) found = true;
  });
  return found;
}

function isBlockOf({ tryBlock }: TryStatement, node: Node): boolean {
  return tryBlock.pos === node.pos && tryBlock.end === node.end;
}

function isFunction(node: Node): boolean {
  return isFunctionDeclaration(node) || isFunctionExpression(node) || isArrowFunction(node) || isMethodDeclaration(node);
}
