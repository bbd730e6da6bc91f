import { types } from "node:util";
import { INTRINSIC_NAMES, SYMBOL_NAMES } from "./intrinsics.ts";
import type { TableEntry, Side, Table } from "./table.ts";
import {
  CannotCross,
  CONFIGURABLE,
  ENUMERABLE,
  WRITABLE,
  type Description,
  type Kind,
  type Property,
  type BridgeState,
  type WireValue,
} from "./wire.ts";

const MAX_OBJECTS = 200_000;
const ALL = ENUMERABLE | WRITABLE | CONFIGURABLE;
const HOLE = ["h"] as const;

export interface Describing {
  readonly side: Side;
  readonly table: Table;
  /** Called when a promise of this side is sent for the first time. */
  readonly onPromise: (id: number, promise: Promise<unknown>) => void;
}

/** Everything the other side needs to see the current state of these values. */
export interface DescribedValues {
  readonly values: readonly WireValue[];
  readonly objects: readonly Description[];
  /** Call it after the other side has received them. */
  readonly commit: () => void;
  readonly undo: () => void;
}

/** The state of an object that was just updated. Objects inside it are known, or are sent as changes. */
export function stateNow(table: Table, side: Side, { value, kind }: TableEntry): string {
  return JSON.stringify(stateOf(value, kind, side, (inner) => wireFor(inner, table, (unknown) => table.idOf(unknown) ?? 0)));
}

export function describeValues({ side, table, onPromise }: Describing, values: readonly unknown[]): DescribedValues {
  const fresh: TableEntry[] = [];
  const objects: Description[] = [];
  const states: [TableEntry, string][] = [];
  const undo = () => fresh.forEach((entry) => table.remove(entry));
  try {
    const wires = values.map(wireOf);
    // Any object that both sides know may have changed.
    for (const entry of table.entries()) if (entry.syncedState !== "") describeEntry(entry, false);
    for (let next = 0; next < fresh.length; next++) describeEntry(fresh[next] as TableEntry, true);
    return { values: wires, objects, undo, commit: () => states.forEach(([entry, syncedState]) => (entry.syncedState = syncedState)) };
  } catch (error) {
    undo();
    throw error;
  }

  function describeEntry(entry: TableEntry, isNew: boolean): void {
    const state = stateOf(entry.value, entry.kind, side, wireOf);
    guardPrototypes(entry);
    const stateText = JSON.stringify(state);
    if (!isNew && stateText === entry.syncedState) return;
    objects.push({ id: entry.id, kind: entry.kind, made: isNew ? madeOf(entry.value, entry.kind, wireOf) : [], state });
    states.push([entry, stateText]);
  }

  /** A prototype is described like any object, but is shared by all its instances. */
  function guardPrototypes({ value, kind }: TableEntry): void {
    const prototypes = [
      Object.getPrototypeOf(value),
      kind === "function" ? (value as { prototype?: unknown }).prototype : null,
    ] as unknown[];
    for (const prototype of prototypes) {
      const entry = typeof prototype === "object" && prototype !== null ? table.find(table.idOf(prototype) ?? 0) : undefined;
      if (entry !== undefined && side === "test" && table.isOwn(entry.id)) entry.guarded = true;
    }
  }

  function wireOf(value: unknown): WireValue {
    return wireFor(value, table, idOf);
  }

  function idOf(value: object): number {
    const known = table.idOf(value);
    if (known !== undefined) return known;
    const kind = kindOf(value);
    if (table.size >= MAX_OBJECTS) throw new CannotCross(`More than ${MAX_OBJECTS} objects are shared between the tests and the module.`);
    const entry = { id: table.newId(), value, kind, syncedState: "", guarded: side === "test" && !isData(value, kind) };
    table.add(entry);
    fresh.push(entry);
    if (kind === "promise") onPromise(entry.id, value as Promise<unknown>);
    return entry.id;
  }
}

function wireFor(value: unknown, table: Table, idOf: (value: object) => number): WireValue {
  if (value === undefined) return ["u"];
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? value : ["n", Object.is(value, -0) ? "-0" : `${value}`];
  if (typeof value === "bigint") return ["b", `${value}`];
  if (typeof value === "symbol") return symbolWire(value, table);
  const name = INTRINSIC_NAMES.get(value as object);
  return name === undefined ? ["o", idOf(value as object)] : ["i", name];
}

function symbolWire(symbol: symbol, table: Table): WireValue {
  const name = SYMBOL_NAMES.get(symbol);
  if (name !== undefined) return ["w", name];
  const key = Symbol.keyFor(symbol);
  return key === undefined ? ["y", table.symbolId(symbol), symbol.description ?? null] : ["k", key];
}

/** Data may be changed by the other side. Class instances, functions and prototypes may not. */
function isData(value: object, kind: Kind): boolean {
  if (kind !== "object") return kind !== "function" && kind !== "promise";
  const prototype: unknown = Object.getPrototypeOf(value);
  // Math, JSON and similar objects have their own tag.
  return (prototype === null || prototype === Object.prototype) && !Object.hasOwn(value, Symbol.toStringTag);
}

const BOXES = [types.isNumberObject, types.isStringObject, types.isBooleanObject, types.isBigIntObject, types.isSymbolObject];

function kindOf(value: object): Kind {
  if (value === globalThis || value === process)
    throw new CannotCross("The globals of a process cannot be passed between the tests and the module.");
  if (types.isProxy(value))
    throw new CannotCross("A Proxy cannot be passed between the tests and the module: the other side would not see its traps.");
  if (types.isModuleNamespaceObject(value))
    throw new CannotCross("The namespace of a module cannot be passed between the tests and the module.");
  if (types.isSharedArrayBuffer(value)) throw new CannotCross("A SharedArrayBuffer cannot be passed between the tests and the module.");
  if (types.isExternal(value)) throw new CannotCross("An object of native code cannot be passed between the tests and the module.");
  if (typeof value === "function") return "function";
  if (Array.isArray(value)) return "array";
  if (types.isNativeError(value)) return "error";
  if (types.isMap(value)) return "map";
  if (types.isSet(value)) return "set";
  if (types.isDate(value)) return "date";
  if (types.isRegExp(value)) return "regexp";
  if (types.isPromise(value)) return "promise";
  if (types.isArrayBuffer(value)) return "buffer";
  if (ArrayBuffer.isView(value)) return "view";
  return BOXES.some((isBox) => isBox(value)) ? "boxed" : "object";
}

type WireOf = (value: unknown) => WireValue;

function madeOf(value: object, kind: Kind, wireOf: WireOf): WireValue[] {
  switch (kind) {
    case "function": {
      const { name, length } = value as () => void;
      return [typeof name === "string" ? name : "", typeof length === "number" ? length : 0, isConstructor(value)];
    }
    case "regexp":
      return [(value as RegExp).source, (value as RegExp).flags];
    case "buffer":
      return [(value as ArrayBuffer).byteLength];
    case "view":
      return viewMade(value as ArrayBufferView, wireOf);
    case "boxed":
      return [wireOf((value as { valueOf(): unknown }).valueOf())];
    default:
      return [];
  }
}

function isConstructor(value: object): boolean {
  try {
    Reflect.construct(String, [], value as new () => unknown);
    return true;
  } catch {
    return false;
  }
}

/** Node's buffers share a pool, so each is sent separately. */
function viewMade(view: ArrayBufferView, wireOf: WireOf): WireValue[] {
  const name = types.isDataView(view) ? "DataView" : (Object.getPrototypeOf(Int8Array) as { prototype: object }).prototype;
  const constructor = typeof name === "string" ? name : (Reflect.get(name, Symbol.toStringTag, view) as string);
  const length = (view as Partial<Uint8Array>).length ?? view.byteLength;
  return Buffer.isBuffer(view) ? [constructor, null, 0, length] : [constructor, wireOf(view.buffer), view.byteOffset, length];
}

function stateOf(value: object, kind: Kind, side: Side, wireOf: WireOf): BridgeState {
  if (kind === "promise" || kind === "boxed") return [null, [], 0, []];
  const level = Object.isFrozen(value) ? 3 : Object.isSealed(value) ? 2 : Object.isExtensible(value) ? 0 : 1;
  const skipped = (key: string | symbol) => isSkipped(value, kind, side, key);
  const keys = Reflect.ownKeys(value).filter((key) => !skipped(key));
  const properties = keys.map((key) => propertyOf(value, key, level, wireOf));
  return [wireOf(Object.getPrototypeOf(value)), properties, level, insideOf(value, kind, wireOf)];
}

/** Properties that are created with the object, are part of its inside, or must not reach the other side. */
function isSkipped(value: object, kind: Kind, side: Side, key: string | symbol): boolean {
  if (typeof key === "symbol") return false;
  if (kind === "array") return key === "length" || isDenseElement(value, key);
  if (kind === "view") return /^\d+$/.test(key);
  if (kind === "function") {
    if (key === "prototype") return !isConstructor(value);
    return side === "test" || key === "name" || key === "length" || key === "arguments" || key === "caller";
  }
  if (side !== "test" || key !== "constructor") return false;
  return Object.getOwnPropertyDescriptor(value, key)?.enumerable === false;
}

function isDenseElement(value: object, key: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(key) && isPlainProperty(value, key);
}

function isPlainProperty(value: object, key: string): boolean {
  const property = Object.getOwnPropertyDescriptor(value, key);
  return property !== undefined && "value" in property && property.enumerable === true;
}

function propertyOf(value: object, key: string | symbol, level: number, wireOf: WireOf): Property {
  const name = wireOf(key);
  const property = Object.getOwnPropertyDescriptor(value, key) ?? {};
  // A frozen object is described as it was before freezing; the level contains the rest.
  const configurable = property.configurable === true || level >= 2 ? CONFIGURABLE : 0;
  const flags = (property.enumerable === true ? ENUMERABLE : 0) | configurable;
  if (property.get !== undefined || property.set !== undefined) {
    if (key === "stack" && types.isNativeError(value)) return [name, wireOf(String(Reflect.get(value, key))), flags | WRITABLE];
    return [name, wireOf(property.get), flags, wireOf(property.set)];
  }
  const whole = flags | (property.writable === true || level === 3 ? WRITABLE : 0);
  const wire = wireOf(property.value);
  return whole === ALL ? [name, wire] : [name, wire, whole];
}

function insideOf(value: object, kind: Kind, wireOf: WireOf): WireValue[] {
  switch (kind) {
    case "array": {
      const list = value as unknown[];
      return Array.from({ length: list.length }, (_, index) => (isPlainProperty(list, `${index}`) ? wireOf(list[index]) : HOLE));
    }
    case "map":
      return [...Map.prototype.entries.call(value)].flatMap(([key, one]) => [wireOf(key), wireOf(one)]);
    case "set":
      return [...Set.prototype.values.call(value)].map(wireOf);
    case "date":
      return [wireOf(Date.prototype.getTime.call(value))];
    case "buffer":
      return [Buffer.from(value as ArrayBuffer).toString("base64")];
    case "view":
      return Buffer.isBuffer(value) ? [value.toString("base64")] : [];
    default:
      return [];
  }
}
