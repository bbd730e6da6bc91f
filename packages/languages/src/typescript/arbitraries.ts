import { nameIn, nodeIn, nodesIn, type AstNode } from "./ast-nodes.ts";
import { numbersWithin, sizeWithin } from "./basic-arbitraries.ts";
import { builtInArbitrary } from "./built-in-arbitraries.ts";
import { classArbitrary, witnessArbitrary } from "./built-arbitraries.ts";
import { namedLists, namedNumbers, namedTexts, NO_LITERALS, type ContractLiterals } from "./contract-literals.ts";
import { objectArbitrary } from "./object-arbitraries.ts";
import type { Declaration, TypeIndex } from "./type-index.ts";
import type { ValueBounds } from "./value-bounds.ts";

/** A type as a file writes it, with what its type parameters stand for. */
export interface TypeUse {
  readonly node: AstNode;
  readonly file: string;
  readonly parameters: ReadonlyMap<string, TypeUse | "number">;
}

/** Writes fast-check arbitraries for types, and notes what their text needs. */
export interface ArbitraryWriter {
  readonly index: TypeIndex;
  readonly literals: ContractLiterals;
  /** Names to import as values, by file. */
  readonly imports: Map<string, Set<string>>;
  /** Declarations that are being written, outermost first. */
  readonly open: Declaration[];
  write(type: TypeUse, bounds?: TypeBounds): string;
}

/** Bounds of the value itself and of its length, or the name of a variable that is the number or the length. */
export interface TypeBounds {
  readonly value?: ValueBounds;
  readonly length?: ValueBounds;
  readonly exactly?: string;
  /** Bounds of its members. */
  readonly members?: (name: string) => TypeBounds;
}

/** No value of the type can be generated, with the reason. */
export class CannotGenerate extends Error {
  override name = "CannotGenerate";
  /** Another alternative of a union may end the recursion. */
  readonly isRecursion: boolean;
  constructor(reason: string, isRecursion = false) {
    super(reason);
    this.isRecursion = isRecursion;
  }
}

const MAX_NESTED = 2;

/** Where a type fits, the values that a contract names are among those it generates. */
export function openArbitraryWriter(index: TypeIndex, literals: ContractLiterals = NO_LITERALS): ArbitraryWriter {
  const write: ArbitraryWriter["write"] = (type, bounds = {}) => writeType(writer, type, bounds);
  const writer: ArbitraryWriter = { index, literals, imports: new Map(), open: [], write };
  return writer;
}

const KEYWORDS: Readonly<Record<string, string>> = {
  TSBooleanKeyword: "fc.boolean()",
  TSBigIntKeyword: "fc.bigInt({ min: -1000000n, max: 1000000n })",
  TSNullKeyword: "fc.constant(null)",
  TSUndefinedKeyword: "fc.constant(undefined)",
  TSVoidKeyword: "fc.constant(undefined)",
  TSUnknownKeyword: "fc.jsonValue({ maxDepth: 2 })",
  TSAnyKeyword: "fc.jsonValue({ maxDepth: 2 })",
  TSObjectKeyword: "fc.object({ maxDepth: 1 })",
};

function writeType(writer: ArbitraryWriter, type: TypeUse, bounds: TypeBounds): string {
  const { node } = type;
  const inner = (one: AstNode | null) => writer.write({ ...type, node: one ?? node }, bounds);
  const plain = KEYWORDS[node.type];
  if (plain !== undefined) return plain;
  switch (node.type) {
    case "TSNumberKeyword":
      return bounds.exactly === undefined ? numbersOf(writer, bounds) : `fc.constant(${bounds.exactly})`;
    case "TSStringKeyword":
      return textsOf(writer, bounds);
    case "TSLiteralType":
      return `fc.constant(${literalText(writer, type)} as const)`;
    case "TSParenthesizedType":
    case "TSTypeOperator":
      if (node["operator"] === "keyof") throw new CannotGenerate("values of keyof cannot be generated");
      return inner(nodeIn(node, "typeAnnotation"));
    case "TSUnionType":
      return unionArbitrary(writer, type, bounds);
    case "TSIntersectionType":
      return intersectionArbitrary(writer, type, bounds);
    case "TSArrayType":
      return listOf(writer, { ...type, node: nodeIn(node, "elementType") ?? node }, bounds);
    case "TSTupleType":
      return `fc.tuple(${nodesIn(node, "elementTypes")
        .map((one) => tupleElement(writer, { ...type, node: one }))
        .join(", ")})`;
    case "TSTypeLiteral":
      return objectArbitrary(writer, nodesIn(node, "members"), type, bounds);
    case "TSFunctionType":
      return `fc.func(${writer.write({ ...type, node: returnTypeOf(node) })})`;
    case "TSTypeReference":
      return referenceArbitrary(writer, type, bounds);
    default:
      throw new CannotGenerate(`a type such as ${textOf(writer, type)} cannot be generated`);
  }
}

export function textOf({ index }: ArbitraryWriter, { node, file }: TypeUse): string {
  return (index.tree(file)?.text.slice(node.start, node.end) ?? node.type).replace(/\s+/g, " ");
}

function literalText(writer: ArbitraryWriter, type: TypeUse): string {
  const literal = nodeIn(type.node, "literal");
  if (literal?.type === "TemplateLiteral" && nodesIn(literal, "expressions").length > 0)
    throw new CannotGenerate("template literal types cannot be generated");
  return textOf(writer, type);
}

/** Alternatives that would never end are left out, as long as one is left. */
function unionArbitrary(writer: ArbitraryWriter, type: TypeUse, bounds: TypeBounds): string {
  const literals = nodesIn(type.node, "types").filter((node) => node.type === "TSLiteralType");
  const constants = literals.length < 2 ? [] : literals.map((node) => literalText(writer, { ...type, node }));
  const written: string[] = constants.length === 0 ? [] : [`fc.constantFrom(${constants.join(", ")})`];
  let endless: CannotGenerate | null = null;
  for (const node of nodesIn(type.node, "types")) {
    if (constants.length > 0 && literals.includes(node)) continue;
    try {
      written.push(writer.write({ ...type, node }, bounds));
    } catch (error) {
      if (!(error instanceof CannotGenerate) || !error.isRecursion) throw error;
      endless = error;
    }
  }
  if (written.length === 0 && endless !== null) throw endless;
  return written.length === 1 ? (written[0] ?? "") : `fc.oneof(${written.join(", ")})`;
}

function intersectionArbitrary(writer: ArbitraryWriter, type: TypeUse, bounds: TypeBounds): string {
  const parts = nodesIn(type.node, "types").map((node) => writer.write({ ...type, node }, bounds));
  return `fc.tuple(${parts.join(", ")}).map((parts) => Object.assign({}, ...parts))`;
}

function numbersOf({ literals }: ArbitraryWriter, { value }: TypeBounds): string {
  return numbersWithin(value, namedNumbers(literals, value));
}

function textsOf({ literals }: ArbitraryWriter, bounds: TypeBounds): string {
  if (bounds.exactly !== undefined) return `fc.string({ ${sizeText(bounds, 20)} })`;
  const { value: { pattern } = {}, length } = bounds;
  const kind = pattern !== undefined ? [`pattern: ${pattern}`] : length === undefined ? [] : [sizeText(bounds, 20)];
  const members = [...kind, ...namedTexts(literals, length, pattern)];
  return members.length === 0 ? "$texts({})" : `$texts({ ${members.join(", ")} })`;
}

function sizeText({ length, exactly }: TypeBounds, usual: number): string {
  return exactly === undefined ? sizeWithin(length, usual) : `minLength: ${exactly}, maxLength: ${exactly}`;
}

/** An empty list ends a recursion. */
export function listOf(writer: ArbitraryWriter, element: TypeUse, bounds: TypeBounds): string {
  try {
    const lists = `fc.array(${writer.write(element)}, { ${sizeText(bounds, 10)} })`;
    const named = bounds.exactly === undefined ? namedLists(writer.literals, element.node, bounds.length) : [];
    return named.length === 0 ? lists : `$sometimes(${lists}, ${JSON.stringify(named)})`;
  } catch (error) {
    if (error instanceof CannotGenerate && error.isRecursion && (bounds.length?.min ?? 0) <= 0) return "fc.constant([])";
    throw error;
  }
}

function tupleElement(writer: ArbitraryWriter, type: TypeUse): string {
  const { node } = type;
  const element = node.type === "TSNamedTupleMember" ? nodeIn(node, "elementType") : node;
  if (element === null || element.type === "TSRestType") throw new CannotGenerate("tuples with a rest element cannot be generated");
  if (element.type === "TSOptionalType")
    return `fc.option(${writer.write({ ...type, node: nodeIn(element, "typeAnnotation") ?? element })}, { nil: undefined })`;
  return writer.write({ ...type, node: element });
}

export function returnTypeOf(node: AstNode): AstNode {
  const annotation = nodeIn(node, "returnType");
  return (
    (annotation === null ? null : nodeIn(annotation, "typeAnnotation")) ?? { type: "TSUnknownKeyword", start: node.start, end: node.end }
  );
}

export function typeArguments(type: TypeUse): TypeUse[] {
  const given = nodeIn(type.node, "typeArguments");
  return given === null ? [] : nodesIn(given, "params").map((node) => ({ ...type, node }));
}

function referenceArbitrary(writer: ArbitraryWriter, type: TypeUse, bounds: TypeBounds): string {
  const name = nameIn(nodeIn(type.node, "typeName"));
  if (name === null) throw new CannotGenerate(`${textOf(writer, type)} cannot be generated`);
  const parameter = type.parameters.get(name);
  if (parameter === "number") return numbersOf(writer, bounds);
  if (parameter !== undefined) return writer.write(parameter, bounds);
  const declaration = writer.index.find(type.file, name);
  if (declaration === null) return builtInArbitrary(writer, name, type, bounds);
  if (writer.open.filter(({ node }) => node === declaration.node).length >= MAX_NESTED)
    throw new CannotGenerate(`${name} contains itself without end`, true);
  writer.open.push(declaration);
  try {
    return declaredArbitrary(writer, declaration, instantiate(declaration, typeArguments(type)), bounds);
  } finally {
    writer.open.pop();
  }
}

/** A type parameter without an argument stands for its constraint, or for number. */
export function instantiate({ node, file }: Declaration, given: readonly TypeUse[]): TypeUse {
  const parameters = new Map<string, TypeUse | "number">();
  const declared = nodeIn(node, "typeParameters");
  for (const [index, parameter] of (declared === null ? [] : nodesIn(declared, "params")).entries()) {
    const constraint = nodeIn(parameter, "constraint");
    const meant = given[index] ?? (constraint === null ? "number" : { node: constraint, file, parameters });
    parameters.set(nameIn(nodeIn(parameter, "name")) ?? String(parameter["name"]), meant);
  }
  return { node, file, parameters };
}

function declaredArbitrary(writer: ArbitraryWriter, declaration: Declaration, type: TypeUse, bounds: TypeBounds): string {
  const { node } = declaration;
  switch (node.type) {
    case "TSTypeAliasDeclaration": {
      const meant = nodeIn(node, "typeAnnotation") ?? node;
      return witnessArbitrary(writer, declaration, { ...type, node: meant }) ?? writer.write({ ...type, node: meant }, bounds);
    }
    case "TSInterfaceDeclaration":
      return interfaceArbitrary(writer, declaration, type, bounds);
    case "ClassDeclaration":
      return classArbitrary(writer, declaration, type);
    case "TSEnumDeclaration":
      return `fc.constantFrom(...Object.values(${importValue(writer, declaration)}))`;
    default:
      throw new CannotGenerate(`${declaration.name} is no type`);
  }
}

function interfaceArbitrary(writer: ArbitraryWriter, { node }: Declaration, type: TypeUse, bounds: TypeBounds): string {
  const body = nodeIn(node, "body");
  const own = objectArbitrary(writer, body === null ? [] : nodesIn(body, "body"), type, bounds);
  const bases = nodesIn(node, "extends").map((base) =>
    writer.write({ ...type, node: { ...base, type: "TSTypeReference", typeName: base["expression"] } }, bounds),
  );
  return bases.length === 0 ? own : `fc.tuple(${[...bases, own].join(", ")}).map((parts) => Object.assign({}, ...parts))`;
}

export function importValue({ imports }: ArbitraryWriter, { file, name, isExported }: Declaration): string {
  if (!isExported) throw new CannotGenerate(`${name} is not exported`);
  imports.set(file, (imports.get(file) ?? new Set()).add(name));
  return name;
}
