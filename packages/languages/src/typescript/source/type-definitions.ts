import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { SourceTree } from "../../adapter.ts";
import { childrenOf, isFunctionNode, nameIn, nodeIn, nodesIn, type AstNode } from "../ast-nodes.ts";
import { typeIndexOf, type Declaration, type TypeIndex } from "../type-index.ts";
import { definitionText } from "./definition-text.ts";
import { docBefore } from "./doc-comments.ts";
import { findFunctions } from "./find-functions.ts";
import { programIn } from "./program.ts";

const WITNESSES = "src/witnesses/";

interface Wanted extends Declaration {
  readonly withPrivate: boolean;
}

/**
 * What the implementer of a function may know: its class, the types that its signature and its contract mention, to `depth` steps, and
 * the signatures of the functions that the contract or `also` (`PATH#NAME`) names. Never a body.
 */
export function typeDefinitions(tree: SourceTree, path: string, functionName: string, depth: number, also: readonly string[] = []): string {
  const index = typeIndexOf(tree);
  const source = programIn(tree, path);
  const found = findFunctions(source.program, source.text).find(({ name }) => name === functionName);
  if (found === undefined) {
    const suggested_next_actions = ["Name one of the functions of the file."];
    throw new SlipwayError("function_not_found", `${path} has no function ${JSON.stringify(functionName)}.`, {
      function: functionName,
      suggested_next_actions,
    });
  }
  const doc = [found.declaration, ...found.overloads]
    .map(({ start }) => docBefore(source.text, source.comments, start)?.text ?? "")
    .join("\n");
  const [owner = ""] = functionName.split(".");
  const isMethod = functionName.includes(".");
  const signature = [found.node, ...found.overloads] as unknown as readonly AstNode[];
  const names = [...signature.flatMap(typeNames), ...typeNamesOf(found.annotation), ...wordsOf(doc)];
  const wanted = new Map<string, Wanted>();
  const named = (file: string, list: readonly string[]) => list.flatMap((name) => index.find(file, name) ?? []);
  if (isMethod) for (const own of named(path, [owner])) wanted.set(keyOf(own), { ...own, withPrivate: true });
  const start = [...named(path, names), ...also.flatMap((id) => named(id.split("#")[0] ?? "", [id.split("#")[1]?.split(".")[0] ?? ""]))];
  let next = start.filter((one) => keyOf(one) !== `${path}#${functionName}`);
  for (const own of wanted.values()) next.push(...named(own.file, depth > 1 ? typeNames(own.node) : fieldsOf(own.node).flatMap(typeNames)));
  for (let step = 1; step <= depth; step++) {
    const fresh = [...next, ...next.flatMap((one) => witnessFunctions(index, one))].filter((one) => !wanted.has(keyOf(one)));
    for (const one of fresh) wanted.set(keyOf(one), { ...one, withPrivate: false });
    next = fresh.flatMap((one) => named(one.file, typeNames(one.node)));
  }
  return render(index, [...wanted.values()]);
}

function keyOf({ file, name }: Declaration): string {
  return `${file}#${name}`;
}

/** A body uses the fields of its own object. */
function fieldsOf(node: AstNode): AstNode[] {
  const body = nodeIn(node, "body");
  return body === null ? [] : nodesIn(body, "body").filter(({ type }) => type === "PropertyDefinition");
}

function wordsOf(doc: string): string[] {
  return doc.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function typeNamesOf(node: unknown): string[] {
  return node === null ? [] : typeNames(node as AstNode);
}

/** Names of types in a declaration. Bodies are left out, and so are its own type parameters. */
function typeNames(node: AstNode): string[] {
  const own = new Set<string>();
  const names: string[] = [];
  const go = (current: AstNode): void => {
    if (current.type === "TSTypeParameter") own.add(nameIn(nodeIn(current, "name")) ?? "");
    const named = NAMED_BY[current.type];
    if (named !== undefined) names.push(leftmost(nodeIn(current, named)));
    for (const child of childrenOf(current))
      if (!(child.type === "BlockStatement" || (current.type === "ArrowFunctionExpression" && child === current["body"]))) go(child);
  };
  go(node);
  return names.filter((name) => name !== "" && !own.has(name));
}

const NAMED_BY: Readonly<Record<string, string>> = {
  TSTypeReference: "typeName",
  TSTypeQuery: "exprName",
  TSInterfaceHeritage: "expression",
  TSClassImplements: "expression",
  ClassDeclaration: "superClass",
};

function leftmost(node: AstNode | null): string {
  const inner = node === null ? null : (nodeIn(node, "left") ?? nodeIn(node, "object"));
  return inner === null ? (nameIn(node) ?? "") : leftmost(inner);
}

/** The constructors and the guard of a witness type. */
function witnessFunctions(index: TypeIndex, { file, name, node }: Declaration): Declaration[] {
  if (!file.startsWith(WITNESSES) || node.type !== "TSTypeAliasDeclaration") return [];
  return index.declarations(file).filter((one) => one.isExported && isFunctionNode(one.node) && typeNames(one.node).includes(name));
}

function render(index: TypeIndex, wanted: readonly Wanted[]): string {
  const files = Map.groupBy(wanted, ({ file }) => file);
  const parts = [...files.keys()].toSorted().map((file) => {
    const syntax = index.tree(file);
    const declarations = (files.get(file) ?? []).toSorted((a, b) => a.node.start - b.node.start);
    const texts = declarations.flatMap(({ node, name, withPrivate }) => {
      const statements = syntax === null ? [] : nodesIn(syntax.program, "body").filter((one) => declares(one, node, name));
      return statements.map((one) =>
        syntax === null ? "" : definitionText(syntax, one, isFunctionNode(node) ? functionIn(one) : node, withPrivate),
      );
    });
    return `// ${file}\n${texts.join("\n\n")}\n`;
  });
  return parts.join("\n");
}

/** The statement of a declaration; of a function, those of its overloads too. */
function declares(statement: AstNode, node: AstNode, name: string): boolean {
  if (!isFunctionNode(node)) return statement.start <= node.start && statement.end >= node.end;
  const declared = functionIn(statement);
  return isFunctionNode(declared) && nameIn(nodeIn(declared, "id")) === name;
}

function functionIn(statement: AstNode): AstNode {
  return nodeIn(statement, "declaration") ?? statement;
}
