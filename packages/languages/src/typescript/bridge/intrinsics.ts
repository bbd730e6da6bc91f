/**
 * Objects that both processes have by themselves. They cross by name, so that an array is an array and an error an error on the other
 * side. Constructors that compile text (Function and its kin) must be here: otherwise a prototype's `constructor` would hand them over.
 */
const GLOBALS = (
  "Object Function Array Number String Boolean Symbol BigInt Date RegExp Promise Map Set ArrayBuffer DataView Iterator Buffer " +
  "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError " +
  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array"
).split(" ");

/* oxlint-disable-next-line typescript/no-empty-function */
async function* asyncGenerator() {}
const prototypeOf = (value: unknown) => Object.getPrototypeOf(value) as object;
const constructorOf = (value: unknown) => (prototypeOf(value) as { constructor: object }).constructor;

function all(): [string, object][] {
  const known = GLOBALS.flatMap((name): [string, object][] => {
    const constructor = (globalThis as Record<string, unknown>)[name] as { prototype: object };
    return [
      [name, constructor],
      [`${name}.prototype`, constructor.prototype],
    ];
  });
  const hidden: [string, object][] = [
    ["AsyncFunction", constructorOf(async () => undefined)],
    ["AsyncFunction.prototype", prototypeOf(async () => undefined)],
    // oxlint-disable-next-line require-yield
    ["GeneratorFunction", constructorOf(function* () {})],
    // oxlint-disable-next-line require-yield
    ["GeneratorFunction.prototype", prototypeOf(function* () {})],
    ["AsyncGeneratorFunction", constructorOf(asyncGenerator)],
    ["AsyncGeneratorFunction.prototype", prototypeOf(asyncGenerator)],
    ["AsyncIterator.prototype", prototypeOf(prototypeOf(asyncGenerator.prototype))],
    ["TypedArray", prototypeOf(Int8Array)],
    ["TypedArray.prototype", prototypeOf(Int8Array.prototype)],
  ];
  return [...known, ...hidden];
}

export const INTRINSICS: ReadonlyMap<string, object> = new Map(all());
export const INTRINSIC_NAMES: ReadonlyMap<object, string> = new Map([...INTRINSICS].map(([name, value]) => [value, name]));

const WELL_KNOWN = Object.getOwnPropertyNames(Symbol)
  .map((name) => [name, (Symbol as unknown as Record<string, unknown>)[name]] as const)
  .filter((entry): entry is readonly [string, symbol] => typeof entry[1] === "symbol");

export const SYMBOLS: ReadonlyMap<string, symbol> = new Map(WELL_KNOWN);
export const SYMBOL_NAMES: ReadonlyMap<symbol, string> = new Map(WELL_KNOWN.map(([name, symbol]) => [symbol, name]));
