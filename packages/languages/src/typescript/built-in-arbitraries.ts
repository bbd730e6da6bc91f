import { CannotGenerate, listOf, textOf, typeArguments, type ArbitraryWriter, type TypeBounds, type TypeUse } from "./arbitraries.ts";

type Write = (writer: ArbitraryWriter, given: readonly TypeUse[], bounds: TypeBounds) => string;

const first = (given: readonly TypeUse[]): TypeUse => given[0] ?? missing();
const list: Write = (writer, given, bounds) => listOf(writer, first(given), bounds);
const same: Write = (writer, given, bounds) => writer.write(first(given), bounds);
const map: Write = (writer, given) =>
  `fc.array(fc.tuple(${given.map((type) => writer.write(type)).join(", ")}), { maxLength: 8 }).map((entries) => new Map(entries as never))`;
const set: Write = (writer, given) => `fc.array(${writer.write(first(given))}, { maxLength: 8 }).map((values) => new Set(values))`;

/** Types of the language and its library that tests can generate. */
const BUILT_IN: Readonly<Record<string, Write>> = {
  Array: list,
  ReadonlyArray: list,
  Iterable: list,
  Readonly: same,
  Required: same,
  Awaited: same,
  NonNullable: (writer, given, bounds) => `${writer.write(first(given), bounds)}.filter((value) => value != null)`,
  Partial: (writer, given) => `${writer.write(first(given))}.chain((value) => fc.subarray(Object.entries(value))).map(Object.fromEntries)`,
  Record: (writer, [keys, values]) =>
    keys?.node.type === "TSStringKeyword" || keys === undefined
      ? `fc.dictionary($texts({ minLength: 1, maxLength: 8 }), ${writer.write(values ?? missing())}, { maxKeys: 6, noNullPrototype: true })`
      : `fc.dictionary(${writer.write(keys)}.map(String), ${writer.write(values ?? missing())}, { maxKeys: 6, noNullPrototype: true })`,
  Map: map,
  ReadonlyMap: map,
  Set: set,
  ReadonlySet: set,
  Date: () => `fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4102444800000) })`,
  Promise: (writer, given) => `$built("Promise.resolve", (value: unknown) => Promise.resolve(value), ${writer.write(first(given))})`,
  PromiseLike: (writer, given) => `$built("Promise.resolve", (value: unknown) => Promise.resolve(value), ${writer.write(first(given))})`,
  Error: () => `fc.string().map((message) => new Error(message))`,
  Uint8Array: () => `fc.uint8Array({ maxLength: 32 })`,
};

export function builtInArbitrary(writer: ArbitraryWriter, name: string, type: TypeUse, bounds: TypeBounds): string {
  const write = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (write === undefined) throw new CannotGenerate(`values of ${textOf(writer, type)} cannot be generated`);
  return write(writer, typeArguments(type), bounds);
}

function missing(): never {
  throw new CannotGenerate("a type without its type arguments cannot be generated");
}
