import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import { SyntaxKind } from "typescript/unstable/ast";
import type { Checker } from "typescript/unstable/sync";
import { walk } from "./walk.ts";

interface Import {
  readonly specifier: string;
  /** Erased at run time. */
  readonly typeOnly: boolean;
}

/** Static, re-exporting and dynamic imports; a computed specifier is "(computed)". */
export function importsIn(file: SourceFile): Import[] {
  const found: Import[] = [];
  walk(file, (node) => {
    if (isImportDeclaration(node)) {
      found.push({ specifier: textOf(node.moduleSpecifier), typeOnly: node.importClause?.phaseModifier === SyntaxKind.TypeKeyword });
    } else if (isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      found.push({ specifier: textOf(node.moduleSpecifier), typeOnly: node.isTypeOnly });
    } else if (isCallExpression(node) && isLoading(node.expression)) {
      found.push({ specifier: node.arguments[0] === undefined ? COMPUTED : textOf(node.arguments[0]), typeOnly: false });
    }
  });
  return found;
}

const COMPUTED = "(computed)";

function textOf(node: Node): string {
  return isStringLiteral(node) ? node.text : COMPUTED;
}

function isLoading(node: Node): boolean {
  return node.kind === SyntaxKind.ImportKeyword || (isIdentifier(node) && node.text === "require");
}

/** Node modules with effects beyond a module's arguments. */
const EFFECTFUL = new Set(
  "child_process cluster dgram dns dns/promises fs fs/promises http http2 https inspector net process repl sqlite tls worker_threads".split(
    " ",
  ),
);
const EFFECTFUL_GLOBALS = new Set(["fetch", "WebSocket", "EventSource", "console", "process", "localStorage"]);

/** Effects in the file: modules of Node, and globals that the file does not define. */
export function effectsIn(file: SourceFile, checker: Checker): string[] {
  const modules = importsIn(file)
    .filter(({ typeOnly, specifier }) => !typeOnly && EFFECTFUL.has(specifier.replace(/^node:/, "")))
    .map(({ specifier }) => `node:${specifier.replace(/^node:/, "")}`);
  const globals = new Set<string>();
  walk(file, (node) => {
    if (isIdentifier(node) && EFFECTFUL_GLOBALS.has(node.text) && !isMemberName(node) && isGlobal(node, checker)) globals.add(node.text);
  });
  return [...new Set([...modules, ...globals])];
}

function isMemberName(node: Node): boolean {
  const { parent } = node;
  return (isPropertyAccessExpression(parent) || isPropertyAssignment(parent)) && parent.name === node;
}

function isGlobal(node: Node, checker: Checker): boolean {
  const declared = checker.getSymbolAtLocation(node)?.declarations ?? [];
  return !declared.some(({ path }) => path.startsWith("/slipway-virtual/"));
}
