import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableStatement,
} from "typescript/unstable/ast/is";
import { walk } from "./walk.ts";

const TEST = new Set(["test", "it"]);

/** The tests that a file declares, with their text. */
export function testsIn(file: SourceFile): { readonly name: string | null; readonly text: string }[] {
  const found: { name: string | null; text: string }[] = [];
  walk(file, (node) => {
    if (!isCallExpression(node) || !isTestCall(node.expression)) return;
    const [title] = node.arguments;
    found.push({ name: title === undefined ? null : literalText(title), text: node.getText(file) });
  });
  return found;
}

function isTestCall(node: Node): boolean {
  if (isIdentifier(node)) return TEST.has(node.text);
  return isPropertyAccessExpression(node) && isIdentifier(node.expression) && TEST.has(node.expression.text);
}

function literalText(node: Node): string | null {
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : null;
}

/** Top-level declarations of a file, by name. */
export function declarationsIn(file: SourceFile): { readonly name: string; readonly text: string }[] {
  return file.statements.flatMap((statement) => {
    const text = statement.getText(file);
    if (isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => (isIdentifier(name) ? [{ name: name.text, text }] : []));
    }
    const named = isFunctionDeclaration(statement) || isClassDeclaration(statement) ? statement.name : typeName(statement);
    return named === undefined ? [] : [{ name: named.text, text }];
  });
}

function typeName(statement: Node): { readonly text: string } | undefined {
  const { name } = statement as { name?: Node };
  return name !== undefined && isIdentifier(name) ? name : undefined;
}
