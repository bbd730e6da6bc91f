import { CannotGenerate, importValue, returnTypeOf, type ArbitraryWriter, type TypeBounds, type TypeUse } from "./arbitraries.ts";
import { nameIn, nodeIn, nodesIn, type AstNode } from "./ast-nodes.ts";
import { isOptionalParameter, parameterName, parameterType } from "./parameters.ts";
import type { Declaration } from "./type-index.ts";
import { acceptedBy, type BoundsByPath } from "./value-bounds.ts";

/** An instance, by its constructor, or by a static method if the constructor is private. A run leaves out arguments that it refuses. */
export function classArbitrary(writer: ArbitraryWriter, declaration: Declaration, type: TypeUse): string {
  const { node, name } = declaration;
  const members = nodesIn(nodeIn(node, "body") ?? node, "body");
  const constructor = members.find((member) => member["kind"] === "constructor" && nodeIn(member, "value")?.["body"] !== null);
  if (node["abstract"] === true) throw new CannotGenerate(`${name} is abstract`);
  if (constructor === undefined && nodeIn(node, "superClass") !== null) throw new CannotGenerate(`${name} has no constructor of its own`);
  if (constructor === undefined) return `$built("new ${name}", () => new ${importValue(writer, declaration)}())`;
  const isHidden = constructor["accessibility"] === "private" || constructor["accessibility"] === "protected";
  const maker = isHidden ? members.find((member) => isStaticMaker(member, name)) : constructor;
  const made = maker === undefined ? null : nodeIn(maker, "value");
  if (maker === undefined || made === null)
    throw new CannotGenerate(`${name} has a private constructor and no static method that returns one`);
  const imported = importValue(writer, declaration);
  const method = `${imported}.${nameIn(nodeIn(maker, "key")) ?? ""}`;
  const builder = isHidden
    ? { label: method, build: `(...given: Parameters<typeof ${method}>) => ${method}(...given)` }
    : { label: `new ${imported}`, build: `(...given: ConstructorParameters<typeof ${imported}>) => new ${imported}(...given)` };
  return builtText(
    writer,
    made,
    type,
    builder,
    acceptedBy(made, () => null),
  );
}

function isStaticMaker(member: AstNode, name: string): boolean {
  const made = nodeIn(member, "value");
  return member["static"] === true && made !== null && member["accessibility"] !== "private" && returnsType(made, name);
}

interface Builder {
  readonly label: string;
  /** A function that takes the arguments. */
  readonly build: string;
}

function builtText(writer: ArbitraryWriter, node: AstNode, type: TypeUse, { label, build }: Builder, bounds: BoundsByPath): string {
  const parameters = nodesIn(node, "params").map((parameter) => writeParameter(writer, parameter, type, bounds));
  return `$built(${[JSON.stringify(label), build, ...parameters].join(", ")})`;
}

function boundsAt(bounds: BoundsByPath, path: string): TypeBounds {
  const [value, length] = [bounds.get(path), bounds.get(`${path}.length`)];
  return {
    ...(value === undefined ? {} : { value }),
    ...(length === undefined ? {} : { length }),
    members: (name) => boundsAt(bounds, `${path}.${name}`),
  };
}

/** The arbitrary of one parameter, within what is known about it. */
export function writeParameter(writer: ArbitraryWriter, parameter: AstNode, type: TypeUse, bounds: BoundsByPath, exactly?: string): string {
  const name = parameterName(parameter) ?? "";
  const text = writer.write({ ...type, node: parameterType(parameter) }, exactly === undefined ? boundsAt(bounds, name) : { exactly });
  return exactly === undefined && isOptionalParameter(parameter) ? `fc.option(${text}, { nil: undefined })` : text;
}

const UNCHECKED = /unchecked|unsafe|trust|assume/i;

/**
 * A branded type by the constructor function of its file, so that every generated value satisfies its invariants. Null if the alias is not branded.
 */
export function witnessArbitrary(writer: ArbitraryWriter, { file, name }: Declaration, type: TypeUse): string | null {
  if (type.node.type !== "TSIntersectionType" || !nodesIn(type.node, "types").some(isBrand)) return null;
  const functions = writer.index.declarations(file).flatMap((declaration) => {
    const made = functionIn(declaration.node);
    return made !== null && declaration.isExported ? [{ declaration, made }] : [];
  });
  const maker = functions.find(({ declaration, made }) => returnsType(made, name) && !UNCHECKED.test(declaration.name));
  if (maker === undefined) throw new CannotGenerate(`${name} has no exported constructor function in ${file}`);
  const lookUp = (called: string) => functionIn(writer.index.find(file, called)?.node ?? null);
  const bounds = acceptedBy(maker.made, lookUp);
  const imported = importValue(writer, maker.declaration);
  return builtText(writer, maker.made, { ...type, file }, { label: imported, build: imported }, bounds);
}

/** An object type with a computed key, such as a unique symbol, or a key that says brand. */
function isBrand(node: AstNode): boolean {
  return (
    node.type === "TSTypeLiteral" &&
    nodesIn(node, "members").some((member) => member["computed"] === true || /brand/i.test(nameIn(nodeIn(member, "key")) ?? ""))
  );
}

/** Whether the function returns the type, alone or beside null and undefined. */
function returnsType(node: AstNode, name: string): boolean {
  const returned = returnTypeOf(node);
  const types = returned.type === "TSUnionType" ? nodesIn(returned, "types") : [returned];
  return types.length === 1 && types.some((one) => one.type === "TSTypeReference" && nameIn(nodeIn(one, "typeName")) === name);
}

/** The function that a declaration declares, if it does. */
export function functionIn(node: AstNode | null): AstNode | null {
  if (node?.type === "FunctionDeclaration") return node;
  const value = node?.type === "VariableDeclarator" ? nodeIn(node, "init") : null;
  return value?.type === "ArrowFunctionExpression" || value?.type === "FunctionExpression" ? value : null;
}
