import { SignatureKind, SymbolFlags, TypeFlags, type Checker, type Signature, type Type } from "typescript/unstable/sync";

const DEEPEST = 12;
/** Types that are identical at run time are treated as equal. */
const WRITABLE: Readonly<Record<string, string>> = { ReadonlyArray: "Array", ReadonlyMap: "Map", ReadonlySet: "Set" };

/**
 * A type as text: aliases and interfaces of the module are expanded, those of the standard library are named. Two types are equal for a
 * caller if this text is equal. `readonly` is omitted, because it does not exist at run time.
 */
export function shapeOf(checker: Checker, type: Type, within: readonly number[] = []): string {
  const again = within.indexOf(type.id);
  if (again >= 0) return `recursive:${within.length - again}`;
  if (within.length > DEEPEST) return "deeper";
  const inner = [...within, type.id];
  const shape = (other: Type) => shapeOf(checker, other, inner);
  if (type.isUnionType()) return [...new Set(type.getTypes().map(shape))].toSorted().join(" | ");
  if (type.isTupleType() || checker.isTupleType(type)) return `[${argumentsOf(checker, type).map(shape).join(", ")}]`;
  const isObject = (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0;
  if (!isObject) return checker.typeToString(type);
  const library = libraryName(checker, type);
  if (library !== null) {
    const given = argumentsOf(checker, type).map(shape);
    return given.length === 0 ? library : `${library}<${given.join(", ")}>`;
  }
  const calls = checker.getSignaturesOfType(type, SignatureKind.Call).map((signature) => callShape(checker, signature, shape));
  const made = checker.getSignaturesOfType(type, SignatureKind.Construct).map((signature) => `new ${callShape(checker, signature, shape)}`);
  const indexed = checker.getIndexInfosOfType(type).map(({ keyType, valueType }) => `[${shape(keyType)}]: ${shape(valueType)}`);
  const properties = checker.getPropertiesOfType(type).map((property) => {
    const optional = (property.flags & SymbolFlags.Optional) !== 0 ? "?" : "";
    return `${property.name}${optional}: ${shape(checker.getTypeOfSymbol(property) ?? checker.getAnyType())}`;
  });
  return `{ ${[...calls, ...made, ...indexed, ...properties.toSorted()].join("; ")} }`;
}

function callShape(checker: Checker, signature: Signature, shape: (type: Type) => string): string {
  const parameters = signature.getParameters().map((parameter) => shape(checker.getTypeOfSymbol(parameter) ?? checker.getAnyType()));
  const returned = checker.getReturnTypeOfSignature(signature) ?? checker.getVoidType();
  return `(${signature.hasRestParameter ? "..." : ""}${parameters.join(", ")}) => ${shape(returned)}`;
}

function argumentsOf(checker: Checker, type: Type): readonly Type[] {
  return type.isTypeReference() ? checker.getTypeArguments(type) : [];
}

/** The name of a type that the standard library or Node declares. */
function libraryName(checker: Checker, type: Type): string | null {
  const symbol = type.getSymbol();
  if (symbol === undefined || symbol.declarations.length === 0 || symbol.name.startsWith("__")) return null;
  if (symbol.declarations.some(({ path }) => path.startsWith("/slipway-virtual/"))) return null;
  if (!type.isClassOrInterface() && !type.isTypeReference()) return checker.typeToString(type);
  return WRITABLE[symbol.name] ?? symbol.name;
}
