import { posix } from "node:path";
import type { SourceTree } from "../adapter.ts";
import { nameIn, nodeIn, nodesIn, parseSource, type AstNode, type SyntaxTree } from "./ast-nodes.ts";

/** A declaration at the top level of a file. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly node: AstNode;
  readonly isExported: boolean;
}

/** Finds declarations of a source tree by the name that a file uses for them. */
export interface TypeIndex {
  /** Follows imports and re-exports. */
  find(file: string, name: string): Declaration | null;
  declarations(file: string): readonly Declaration[];
  tree(file: string): SyntaxTree | null;
}

interface FileNames {
  readonly tree: SyntaxTree;
  readonly declared: Map<string, Declaration>;
  /** Names from other files: imported, or exported again. */
  readonly elsewhere: Map<string, { readonly file: string; readonly name: string }>;
  readonly everythingOf: string[];
}

const indexes = new WeakMap<SourceTree, TypeIndex>();

/** A tree is a value: it is never changed, so it is read once. */
export function typeIndexOf(tree: SourceTree): TypeIndex {
  const index = indexes.get(tree) ?? openTypeIndex(tree);
  indexes.set(tree, index);
  return index;
}

export function openTypeIndex(tree: SourceTree): TypeIndex {
  const files = new Map<string, FileNames | null>();
  const namesOf = (file: string): FileNames | null => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const text = tree[file];
    const read = text === undefined ? null : readNames(tree, file, text);
    files.set(file, read);
    return read;
  };
  return { find: (file, name) => find(file, name, new Set()), declarations, tree: (file) => namesOf(file)?.tree ?? null };

  function declarations(file: string): readonly Declaration[] {
    return [...(namesOf(file)?.declared.values() ?? [])];
  }

  function find(file: string, name: string, seen: Set<string>): Declaration | null {
    const names = namesOf(file);
    if (names === null || seen.has(`${file} ${name}`)) return null;
    seen.add(`${file} ${name}`);
    const declared = names.declared.get(name);
    if (declared !== undefined) return declared;
    const elsewhere = names.elsewhere.get(name);
    if (elsewhere !== undefined) return find(elsewhere.file, elsewhere.name, seen);
    for (const other of names.everythingOf) {
      const found = find(other, name, seen);
      if (found !== null) return found;
    }
    return null;
  }
}

function readNames(tree: SourceTree, file: string, text: string): FileNames {
  const syntax = parseSource(text, file);
  const names: FileNames = { tree: syntax, declared: new Map(), elsewhere: new Map(), everythingOf: [] };
  for (const statement of nodesIn(syntax.program, "body")) {
    const source = nodeIn(statement, "source");
    const other = source === null ? null : resolvePath(tree, file, String(source["value"]));
    if (statement.type === "ExportAllDeclaration" && other !== null) names.everythingOf.push(other);
    for (const specifier of nodesIn(statement, "specifiers")) {
      const local = nodeIn(specifier, "local");
      const outer = statement.type === "ImportDeclaration" ? local : nodeIn(specifier, "exported");
      const inner = statement.type === "ImportDeclaration" ? (nodeIn(specifier, "imported") ?? local) : local;
      const [name, from] = [nameIn(outer), nameIn(inner)];
      if (name !== null && from !== null && other !== null) names.elsewhere.set(name, { file: other, name: from });
    }
    const isExported = statement.type.startsWith("Export");
    for (const [name, node] of declaredIn(isExported ? nodeIn(statement, "declaration") : statement)) {
      if (!names.declared.has(name)) names.declared.set(name, { file, name, node, isExported });
    }
  }
  const exportedLater = nodesIn(syntax.program, "body")
    .filter(({ type, source }) => type === "ExportNamedDeclaration" && source === null)
    .flatMap((statement) => nodesIn(statement, "specifiers"));
  for (const specifier of exportedLater) {
    const name = nameIn(nodeIn(specifier, "local")) ?? "";
    const found = names.declared.get(name);
    if (found !== undefined && nameIn(nodeIn(specifier, "exported")) === name) names.declared.set(name, { ...found, isExported: true });
  }
  return names;
}

const NAMED = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ClassDeclaration",
  "TSEnumDeclaration",
  "FunctionDeclaration",
  "TSDeclareFunction",
]);

function declaredIn(node: AstNode | null): [string, AstNode][] {
  if (node === null) return [];
  if (node.type === "VariableDeclaration") {
    return nodesIn(node, "declarations").flatMap((one): [string, AstNode][] => {
      const name = nameIn(nodeIn(one, "id"));
      return name === null ? [] : [[name, one]];
    });
  }
  const name = NAMED.has(node.type) ? nameIn(nodeIn(node, "id")) : null;
  return name === null ? [] : [[name, node]];
}

function resolvePath(tree: SourceTree, file: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  const path = posix.join(posix.dirname(file), specifier);
  return [path, path.replace(/\.([cm]?)js$/, ".$1ts"), `${path}.ts`, `${path}/index.ts`].find((one) => tree[one] !== undefined) ?? null;
}
