import { nameIn, nodeIn, nodesIn, type AstNode } from "./ast-nodes.ts";
import { functionIn } from "./built-arbitraries.ts";
import { isRestParameter, parameterName } from "./parameters.ts";
import { typeIndexOf, type Declaration, type TypeIndex } from "./type-index.ts";
import type { SourceTree } from "../adapter.ts";

/** A function or method that a test can call from outside of its file. */
export interface TestedFunction {
  readonly index: TypeIndex;
  readonly file: string;
  readonly name: string;
  readonly node: AstNode;
  readonly parameters: readonly AstNode[];
  /** Names of the parameters in the test, destructured ones as `$0`. */
  readonly names: readonly string[];
  /** The export to import, which is the class of a method. */
  readonly declaration: Declaration;
  readonly kind: "function" | "method" | "getter" | "static" | "constructor";
}

/** Why a function cannot be tested, or the function. */
export function findTested(tree: SourceTree, file: string, functionName: string): TestedFunction | { readonly problem: string } {
  const index = typeIndexOf(tree);
  const [outer = "", method] = functionName.split(".");
  const declaration = index.find(file, outer);
  if (declaration === null) return { problem: `${file} has no ${functionName}` };
  if (!declaration.isExported) return { problem: `${outer} is not exported` };
  const member = method === undefined ? null : memberOf(declaration.node, method);
  const node = method === undefined ? functionIn(declaration.node) : member === null ? null : nodeIn(member, "value");
  if (node === null) return { problem: `${functionName} is no function of ${file}` };
  if (member !== null && (member["accessibility"] ?? "public") !== "public") return { problem: `${functionName} is not public` };
  const kind = member === null ? "function" : kindOf(member);
  if (kind === null) return { problem: `${functionName} is a setter` };
  const parameters = nodesIn(node, "params");
  const names = parameters.map((parameter, at) => parameterName(parameter) ?? `$${at}`);
  return { index, file, name: functionName, node, parameters, names, declaration, kind };
}

const keyOf = (member: AstNode): AstNode | null => nodeIn(member, "key");

function memberOf(node: AstNode, name: string): AstNode | null {
  const members = node.type === "ClassDeclaration" ? nodesIn(nodeIn(node, "body") ?? node, "body") : [];
  const isNamed = (member: AstNode) =>
    keyOf(member)?.type === "Identifier" && member["computed"] !== true && nameIn(keyOf(member)) === name;
  return members.find(isNamed) ?? null;
}

function kindOf(member: AstNode): TestedFunction["kind"] | null {
  if (member["kind"] === "set") return null;
  if (member["kind"] === "constructor") return "constructor";
  if (member["static"] === true) return "static";
  return member["kind"] === "get" ? "getter" : "method";
}

export const hasReceiver = ({ kind }: TestedFunction): boolean => kind === "method" || kind === "getter";

/** The parameters as arguments, with `...` before a rest parameter. */
export function argumentTexts({ names, parameters }: Pick<TestedFunction, "names" | "parameters">): string[] {
  return parameters.map((parameter, at) => `${isRestParameter(parameter) ? "..." : ""}${names[at] ?? ""}`);
}

/** The call, with the parameters under their names. */
export function callText({ kind, declaration, names, name, parameters }: TestedFunction): string {
  const given = argumentTexts({ names, parameters }).join(", ");
  const method = name.split(".")[1] ?? "";
  if (kind === "constructor") return `new ${declaration.name}(${given})`;
  if (kind === "getter") return `self.${method}`;
  return `${kind === "method" ? `self.${method}` : kind === "static" ? `${declaration.name}.${method}` : declaration.name}(${given})`;
}

/** The type of the receiver and the arguments. A type parameter stands for number. */
export function givenType(tested: TestedFunction): string {
  const { kind, declaration, name, node } = tested;
  const method = name.split(".")[1] ?? "";
  const own = instances(declaration.node, declaration.name);
  if (kind === "constructor") return `ConstructorParameters<typeof ${own}>`;
  if (kind === "getter") return `[${own}]`;
  const called =
    kind === "function"
      ? `typeof ${instances(node, declaration.name)}`
      : kind === "static"
        ? `typeof ${declaration.name}.${method}`
        : `${own}["${method}"]`;
  return kind === "method" ? `[${own}, ...Parameters<${called}>]` : `Parameters<${called}>`;
}

function instances(node: AstNode, name: string): string {
  const parameters = nodeIn(node, "typeParameters");
  const plain = parameters !== null && nodesIn(parameters, "params").every((one) => nodeIn(one, "constraint") === null);
  return plain
    ? `${name}<${nodesIn(parameters, "params")
        .map(() => "number")
        .join(", ")}>`
    : name;
}
