import { posix } from "node:path";
import type { Expression } from "oxc-parser";
import type { SourceTree } from "../../adapter.ts";
import { isFault, tryParse } from "../source/program.ts";

export type CompilerOptions = Readonly<Record<string, unknown>>;

const FILE = "tsconfig.json";
const DEEPEST = 20;

/** The compiler options of the tree's configuration, with those that it extends. Null if the tree has none, or it cannot be read. */
export function compilerOptionsOf(tree: SourceTree): CompilerOptions | null {
  return tree[FILE] === undefined ? null : optionsIn(tree, FILE, 0);
}

function optionsIn(tree: SourceTree, path: string, depth: number): CompilerOptions | null {
  const config = configOf(tree[path] ?? "");
  if (config === null || depth > DEEPEST) return null;
  const parents = extendedBy(path, config).map((parent) => optionsIn(tree, parent, depth + 1));
  const own = config["compilerOptions"];
  return Object.assign({}, ...parents, isObject(own) ? own : {}) as CompilerOptions;
}

/** Configurations that this one extends, by path in the project; a package as it is named. The last one counts most. */
export function extendedConfigs(path: string, text: string): string[] {
  return extendedBy(path, configOf(text) ?? {});
}

function extendedBy(path: string, config: Readonly<Record<string, unknown>>): string[] {
  const named = [config["extends"] ?? []].flat().filter((one): one is string => typeof one === "string");
  return named.map((name) => {
    if (!/^\.{1,2}(?:\/|$)/.test(name)) return name;
    const file = posix.join(posix.dirname(path), name);
    return file.endsWith(".json") ? file : `${file}.json`;
  });
}

/** Read as an expression, because TypeScript allows more in the file than JSON does. */
function configOf(text: string): Readonly<Record<string, unknown>> | null {
  const tree = tryParse(`(${text.replace(/^\uFEFF/, "")}\n)`);
  const [statement, ...more] = isFault(tree) ? [] : tree.program.body;
  if (statement?.type !== "ExpressionStatement" || more.length > 0) return null;
  const value = valueOf(statement.expression);
  return isObject(value) ? value : null;
}

function valueOf(node: Expression): unknown {
  if (node.type === "Literal") return node.value;
  if (node.type === "ArrayExpression")
    return node.elements.map((element) => (element === null || element.type === "SpreadElement" ? null : valueOf(element)));
  if (node.type !== "ObjectExpression") return undefined;
  const entries = node.properties.flatMap((one): [string, unknown][] =>
    one.type === "Property" && one.key.type === "Literal" && typeof one.key.value === "string" ? [[one.key.value, valueOf(one.value)]] : [],
  );
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp);
}

/** Options that decide which code is correct. Others name files, write output, or are about code that the tree does not have. */
const CHECKED =
  "target lib module moduleResolution moduleDetection esModuleInterop allowSyntheticDefaultImports resolveJsonModule exactOptionalPropertyTypes noUncheckedIndexedAccess noImplicitOverride noImplicitReturns noFallthroughCasesInSwitch noPropertyAccessFromIndexSignature noUncheckedSideEffectImports allowUnreachableCode allowUnusedLabels verbatimModuleSyntax isolatedModules useDefineForClassFields experimentalDecorators strictPropertyInitialization rewriteRelativeImportExtensions".split(
    " ",
  );

/** The options of the tree that a check uses, beside those that every check has. */
export function checkedOptions(tree: SourceTree): CompilerOptions {
  const options = compilerOptionsOf(tree) ?? {};
  const own = Object.fromEntries(CHECKED.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
  const types = options["types"];
  return {
    // The standard library follows from the target, and the kind of modules from their resolution.
    ...(own["target"] === undefined ? {} : { lib: undefined }),
    ...(own["moduleResolution"] === undefined
      ? {}
      : { module: own["moduleResolution"] === "bundler" ? "esnext" : own["moduleResolution"] }),
    ...own,
    ...(Array.isArray(types) && !types.includes("node") ? { types: [] } : {}),
  };
}
