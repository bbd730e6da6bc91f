import { INTRINSICS, SYMBOLS } from "./intrinsics.ts";
import { stateNow } from "./describe.ts";
import type { TableEntry, Side, Table } from "./table.ts";
import { CONFIGURABLE, ENUMERABLE, malformed, WRITABLE, type Description, type Property, type WireValue } from "./wire.ts";

export interface Restoring {
  readonly side: Side;
  readonly table: Table;
  /** Creates a proxy for a function of the other side. */
  readonly likeness: (id: number, name: string, length: number, constructs: boolean) => object;
  /** Creates a promise that settles as the other side's does. */
  readonly promise: (id: number) => object;
}

const MAX_LENGTH = 50_000_000;

/** Creates new objects and updates known ones. No text of a frame is ever executed. */
export function restoreObjects(
  { side, table, likeness, promise }: Restoring,
  objects: readonly Description[],
): (wire: WireValue) => unknown {
  const waiting = new Map(objects.map((one) => [one.id, one]));
  const changed = objects.map((one) => entryFor(one.id));
  for (const one of objects) fill(entryFor(one.id), one);
  for (const [index, { value }] of changed.entries()) close(value, objects[index]?.state[2] ?? 0);
  for (const entry of changed) entry.syncedState = stateNow(table, side, entry);
  return valueOf;

  function entryFor(id: number): TableEntry {
    const known = table.find(id);
    if (known !== undefined) return known;
    const described = waiting.get(id);
    if (described === undefined || table.isOwn(id)) malformed("an object that it has not described");
    const entry = { id, value: make(described), kind: described.kind, syncedState: "", guarded: false };
    table.add(entry);
    return entry;
  }

  function valueOf(wire: WireValue): unknown {
    if (!Array.isArray(wire)) return wire;
    const [kind, first, second] = wire as [string, unknown, unknown];
    switch (kind) {
      case "u":
        return undefined;
      case "n":
        return numberOf(first);
      case "b":
        return typeof first === "string" && /^-?\d{1,100000}$/.test(first) ? BigInt(first) : malformed("no bigint");
      case "i":
        return INTRINSICS.get(first as string) ?? malformed("an intrinsic that is not there");
      case "w":
        return SYMBOLS.get(first as string) ?? malformed("a symbol that is not there");
      case "k":
        return typeof first === "string" ? Symbol.for(first) : malformed("no symbol");
      case "y":
        return Number.isSafeInteger(first)
          ? table.symbol(first as number, typeof second === "string" ? second : undefined)
          : malformed("no symbol");
      case "o":
        return Number.isSafeInteger(first) ? entryFor(first as number).value : malformed("no object");
      default:
        return malformed("a value of no kind");
    }
  }

  function make({ id, kind, made }: Description): object {
    const [first = null, second = null, third = null, fourth = null] = made;
    switch (kind) {
      case "function":
        return likeness(id, textOf(first), lengthOf(second), third === true);
      case "array":
        return [];
      case "error":
        return new Error("");
      case "map":
        return new Map();
      case "set":
        return new Set();
      case "date":
        return new Date(0);
      case "regexp":
        return new RegExp(textOf(first), textOf(second));
      case "promise":
        return promise(id);
      case "buffer":
        return new ArrayBuffer(lengthOf(first));
      case "view":
        return makeView(textOf(first), valueOf(second), lengthOf(third), lengthOf(fourth));
      case "boxed":
        return Object(valueOf(first)) as object;
      default:
        return {};
    }
  }

  function fill(entry: TableEntry, { state: [prototype, properties, , inside] }: Description): void {
    const { value, kind } = entry;
    if (kind === "promise" || kind === "boxed") return;
    if (entry.guarded) malformed(`a change to something that belongs to the tests and cannot be changed by the module (${nameOf(value)})`);
    const wanted = valueOf(prototype) as object | null;
    if (Object.getPrototypeOf(value) !== wanted) {
      if (side === "test" && table.isOwn(entry.id)) malformed("another prototype for an object of the tests");
      if (typeof wanted !== "object" && typeof wanted !== "function") malformed("a prototype that is no object");
      if (!Reflect.setPrototypeOf(value, wanted)) malformed("a prototype that cannot be set");
    }
    fillInside(value, kind, inside, valueOf);
    fillProperties(value, kind, properties);
  }

  function fillProperties(value: object, kind: TableEntry["kind"], properties: readonly Property[]): void {
    const wanted = new Map(properties.map((property) => [keyOf(valueOf(property[0])), property]));
    for (const key of Reflect.ownKeys(value)) if (!wanted.has(key) && isRemovable(kind, key)) Reflect.deleteProperty(value, key);
    for (const [key, property] of wanted) {
      if (!define(value, key, descriptorOf(property))) malformed(`a change to the property ${String(key)}, which cannot be changed`);
    }
  }

  function descriptorOf(property: Property): PropertyDescriptor {
    const flags = property[2] ?? ENUMERABLE | WRITABLE | CONFIGURABLE;
    const shared = { enumerable: (flags & ENUMERABLE) !== 0, configurable: (flags & CONFIGURABLE) !== 0 };
    if (property.length < 4) return { ...shared, value: valueOf(property[1]), writable: (flags & WRITABLE) !== 0 };
    const accessor = (wire: WireValue | undefined) => {
      const found = valueOf(wire ?? ["u"]);
      return found === undefined || typeof found === "function"
        ? (found as (() => unknown) | undefined)
        : malformed("an accessor that is no function");
    };
    return { ...shared, get: accessor(property[1]), set: accessor(property[3]) } as PropertyDescriptor;
  }
}

/** A fixed property is described as it was before: it stays if it has the same value. */
function define(value: object, key: string | symbol, wanted: PropertyDescriptor): boolean {
  const present = Object.getOwnPropertyDescriptor(value, key);
  if (present === undefined || present.configurable === true) return Reflect.defineProperty(value, key, wanted);
  if (present.writable === true && "value" in wanted) {
    return Reflect.defineProperty(value, key, { value: wanted.value as unknown, writable: wanted.writable === true });
  }
  return Object.is(present.value, wanted.value) && present.get === wanted.get && present.set === wanted.set;
}

function isRemovable(kind: TableEntry["kind"], key: string | symbol): boolean {
  if (typeof key === "symbol") return true;
  if (kind === "array") return key !== "length" && !/^\d+$/.test(key);
  if (kind === "view") return !/^\d+$/.test(key);
  return kind !== "function" || !["name", "length", "prototype", "arguments", "caller"].includes(key);
}

function keyOf(value: unknown): string | symbol {
  return typeof value === "string" || typeof value === "symbol" ? value : malformed("a property without a name");
}

function textOf(wire: WireValue): string {
  return typeof wire === "string" ? wire : malformed("no text");
}

function lengthOf(wire: WireValue): number {
  return typeof wire === "number" && Number.isInteger(wire) && wire >= 0 && wire <= MAX_LENGTH ? wire : malformed("no length");
}

function numberOf(text: unknown): number {
  const numbers: Record<string, number> = { NaN: Number.NaN, Infinity: Infinity, "-Infinity": -Infinity, "-0": -0 };
  return (typeof text === "string" ? numbers[text] : undefined) ?? malformed("no number");
}

const VIEWS = /^(?:DataView|(?:Ui|I)nt(?:8|16|32)Array|Uint8ClampedArray|Float(?:32|64)Array|Big(?:Ui|I)nt64Array)$/;

function makeView(name: string, buffer: unknown, offset: number, length: number): object {
  if (buffer === null) return Buffer.alloc(length);
  const constructor = VIEWS.test(name) ? (INTRINSICS.get(name) as Uint8ArrayConstructor | undefined) : undefined;
  if (constructor === undefined || !(buffer instanceof ArrayBuffer)) malformed("a view of nothing");
  return new constructor(buffer, offset, length);
}

function fillInside(value: object, kind: TableEntry["kind"], inside: readonly WireValue[], valueOf: (wire: WireValue) => unknown): void {
  const [first = null] = inside;
  if (kind === "array") fillArray(value as unknown[], inside, valueOf);
  if (kind === "date") Date.prototype.setTime.call(value, valueOf(first) as number);
  if (kind === "set") {
    Set.prototype.clear.call(value);
    for (const wire of inside) Set.prototype.add.call(value, valueOf(wire));
  }
  if (kind === "map") {
    Map.prototype.clear.call(value);
    for (let at = 0; at + 1 < inside.length; at += 2)
      Map.prototype.set.call(value, valueOf(inside[at] as WireValue), valueOf(inside[at + 1] as WireValue));
  }
  if (kind === "buffer") Buffer.from(value as ArrayBuffer).set(bytesOf(first, (value as ArrayBuffer).byteLength));
  if (kind === "view" && inside.length > 0) (value as Uint8Array).set(bytesOf(first, (value as Uint8Array).byteLength));
}

/** Elements are defined, never assigned, so that no setter of a prototype runs. */
function fillArray(list: unknown[], inside: readonly WireValue[], valueOf: (wire: WireValue) => unknown): void {
  if (list.length !== inside.length) list.length = inside.length;
  for (const [index, wire] of inside.entries()) {
    if (Array.isArray(wire) && wire[0] === "h") {
      Reflect.deleteProperty(list, index);
      continue;
    }
    const value = valueOf(wire);
    if (index in list && Object.is(list[index], value)) continue;
    const property = { value, writable: true, enumerable: true, configurable: true };
    if (!Reflect.defineProperty(list, index, property)) malformed("a change to an array that cannot be changed");
  }
}

function bytesOf(wire: WireValue, length: number): Buffer {
  const bytes = Buffer.from(textOf(wire), "base64");
  return bytes.length === length ? bytes : malformed("another number of bytes");
}

function close(value: object, level: number): void {
  if (level === 3) Object.freeze(value);
  else if (level === 2) Object.seal(value);
  else if (level === 1) Object.preventExtensions(value);
}

function nameOf(value: object): string {
  return typeof value === "function" ? `the function ${value.name}` : Object.prototype.toString.call(value);
}
