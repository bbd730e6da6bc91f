import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SourceTree } from "../adapter.ts";
import { CannotGenerate, openArbitraryWriter } from "./arbitraries.ts";
import { nodeIn } from "./ast-nodes.ts";
import { numbersWithin, sizeWithin } from "./basic-arbitraries.ts";
import { CONTRACT_SUPPORT } from "./test-support-text.ts";
import { openTypeIndex } from "./type-index.ts";
import { stripTypeScriptTypes } from "node:module";
import assert from "node:assert/strict";

const FILE = "src/types.ts";
/** The shared file without its imports and exports. */
const SUPPORT = CONTRACT_SUPPORT.replaceAll(/^import .*$/gm, "").replaceAll(/^export /gm, "");

/** Values of `Wanted` of the file, made by the generated text. */
function sample(code: string, scope: Record<string, unknown> = {}, more: SourceTree = {}): unknown[] {
  const index = openTypeIndex({ ...more, [FILE]: code });
  const writer = openArbitraryWriter(index);
  const wanted = index.find(FILE, "Wanted");
  if (wanted === null) throw new Error("no type Wanted");
  const text = writer.write({ node: nodeIn(wanted.node, "typeAnnotation") ?? wanted.node, file: FILE, parameters: new Map() });
  const program = `${SUPPORT}\nconst $all = fc.sample(${text}, { numRuns: 200, seed: 1 }).map($fresh);`;
  const make = new Function("fc", "assert", ...Object.keys(scope), `${stripTypeScriptTypes(program)}\nreturn $all;`) as (
    ...given: unknown[]
  ) => unknown[];
  return make(fc, assert, ...Object.values(scope));
}

const reasonOf = (code: string) => {
  try {
    sample(code);
  } catch (error) {
    if (error instanceof CannotGenerate) return error.message;
    throw error;
  }
  return null;
};

const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);

describe("values are generated for", () => {
  test.each<[string, string, (value: never) => boolean]>([
    ["numbers", "number", isNumber],
    ["texts", "string", (value) => typeof value === "string"],
    ["booleans", "boolean", (value) => typeof value === "boolean"],
    ["bigints", "bigint", (value) => typeof value === "bigint"],
    ["null and undefined", "null | undefined", (value) => value == null],
    ["literals", `"a" | 1 | -2 | true | 3n`, (value) => ["a", 1, -2, true, 3n].includes(value)],
    ["arrays", "readonly (number | string)[]", (value: unknown[]) => value.every((one) => isNumber(one) || typeof one === "string")],
    ["tuples", "[a: number, b?: string]", ([a, b]: [number, string?]) => isNumber(a) && (b === undefined || typeof b === "string")],
    [
      "objects",
      "{ a: number; 'b-c'?: string }",
      (value: { a: number; "b-c"?: string }) => isNumber(value.a) && typeof (value["b-c"] ?? "") === "string",
    ],
    ["records", "Record<string, number>", (value: object) => Object.values(value).every(isNumber)],
    ["records of given keys", `Record<"a" | "b", number>`, (value: object) => Object.keys(value).every((key) => "ab".includes(key))],
    ["index signatures", "{ [name: string]: number }", (value: object) => Object.values(value).every(isNumber)],
    [
      "maps",
      "ReadonlyMap<string, number[]>",
      (value: Map<string, number[]>) => value instanceof Map && [...value.values()].every(Array.isArray),
    ],
    ["sets", "Set<number>", (value: Set<number>) => value instanceof Set && [...value].every(isNumber)],
    ["dates", "Date", (value: Date) => value instanceof Date && !Number.isNaN(value.getTime())],
    ["functions", "(a: number) => string", (value: (a: number) => unknown) => typeof value(1) === "string"],
    ["methods", "{ run(): number }", (value: { run(): number }) => isNumber(value.run())],
    [
      "intersections of objects",
      "{ a: number } & { b: string }",
      (value: { a: number; b: string }) => isNumber(value.a) && typeof value.b === "string",
    ],
    ["promises", "Promise<number>", (value: unknown) => value instanceof Promise],
    ["errors and bytes", "Error | Uint8Array", (value: unknown) => value instanceof Error || value instanceof Uint8Array],
    ["partial objects", "Partial<{ a: number; b: number }>", (value: object) => Object.values(value).every(isNumber)],
    ["values that are there", "NonNullable<number | null>", isNumber],
    ["unknown", "unknown", () => true],
    ["nothing", "void", (value) => value === undefined],
  ])("%s", (_, type, isRight) => {
    const values = sample(`export type Wanted = ${type};`);
    expect(values).toHaveLength(200);
    expect(values.filter((value) => !isRight(value as never))).toEqual([]);
  });

  test("discriminated unions, with every alternative", () => {
    const values = sample(
      `type Shape = { kind: "circle"; r: number } | { kind: "square"; side: number };\nexport type Wanted = Shape;`,
    ) as { kind: string }[];
    expect(new Set(values.map(({ kind }) => kind))).toEqual(new Set(["circle", "square"]));
    expect(values.every((value) => "r" in value === (value.kind === "circle"))).toBe(true);
  });

  test("interfaces of other files, with those they extend and their type arguments", () => {
    const more = {
      "src/base.ts": `export interface Base<T> { id: T }\nexport { Base as Root };`,
      "src/all.ts": `export * from "./base.js";`,
    };
    const values = sample(
      `import type { Base } from "./all.ts";\ninterface Item extends Base<string> { size: number }\nexport type Wanted = Item;`,
      {},
      more,
    );
    expect(values.every((value) => typeof (value as { id: unknown }).id === "string")).toBe(true);
  });

  test("recursive types, to a limited depth", () => {
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
    for (const code of [
      "interface Tree { value: number; left: Tree | null; right: Tree | null }\nexport type Wanted = Tree;",
      "interface Tree { value: number; children: Tree[] }\nexport type Wanted = Tree;",
      "interface Tree { value: number; next?: Tree }\nexport type Wanted = Tree;",
      "type Json = number | string | Json[] | { [key: string]: Json };\nexport type Wanted = Json;",
    ]) {
      const depths = sample(code).map(depth);
      expect(Math.max(...depths)).toBeGreaterThan(0);
      expect(Math.max(...depths)).toBeLessThan(8);
    }
    expect(reasonOf("interface Chain { next: Chain }\nexport type Wanted = Chain;")).toBe("Chain contains itself without end");
    expect(reasonOf("type Chain = [Chain] | { of: Chain };\nexport type Wanted = Chain;")).toBe("Chain contains itself without end");
  });

  test("generic types, a parameter without an argument being a number or its constraint", () => {
    const code = "interface Box<T, N extends string> { value: T; name: N }\nexport type Wanted = Box;";
    expect(
      sample(code).every((value) => isNumber((value as { value: unknown }).value) && typeof (value as { name: unknown }).name === "string"),
    ).toBe(true);
  });

  test("classes, by their constructor or a static method", () => {
    class Money {
      amount: number;
      constructor(amount: number) {
        if (amount < 0) throw new RangeError("negative");
        this.amount = amount;
      }
      static of(amount: number) {
        return new Money(amount);
      }
    }
    const body = (visibility: string) =>
      `export class Money { ${visibility} constructor(amount: number) { if (amount < 0) throw new RangeError(); } static of(amount: number): Money { return new Money(Math.abs(amount)); } }\nexport type Wanted = readonly Money[];`;
    expect((sample(body(""), { Money }) as Money[][]).flat().every((one) => one instanceof Money && one.amount >= 0)).toBe(true);
    expect(() => sample(body("private"), { Money })).toThrow("negative");
    expect(sample("export class Empty {}\nexport type Wanted = Empty;", { Empty: Map })[0]).toBeInstanceOf(Map);
  });

  test("enums", () => {
    expect(
      new Set(sample(`export enum Color { red = "r", green = "g" }\nexport type Wanted = Color;`, { Color: { red: "r", green: "g" } })),
    ).toEqual(new Set(["r", "g"]));
  });

  test("witness brands, by their factory and within the bounds that it states", () => {
    const witness = (name: string, base: string, check: string) =>
      `declare const brand: unique symbol;\nexport type ${name} = ${base} & { readonly [brand]: true };\nexport function unchecked${name}(value: ${base}): ${name} { return value as ${name}; }\nexport function ${name.toLowerCase()}(value: ${base}): ${name} { ${check} return value as ${name}; }\nexport const is${name} = (value: ${base}): value is ${name} => value >= 3 && Number.isInteger(value) && value < 6;\n`;
    const made = (name: string, base: string, check: string, accept: (value: never) => boolean) => {
      let refused = 0;
      const factory = (value: never) => {
        if (accept(value)) return value;
        refused++;
        throw new RangeError("refused");
      };
      const code = `import type { ${name} } from "./witnesses/w.ts";\nexport type Wanted = ${name};`;
      const values = sample(code, { [name.toLowerCase()]: factory }, { "src/witnesses/w.ts": witness(name, base, check) });
      expect(refused).toBe(0);
      return values;
    };
    made("Positive", "number", "if (!(value > 0)) throw new RangeError();", (value: number) => value > 0);
    made(
      "Count",
      "number",
      "if (!Number.isInteger(value) || value < 0 || value > 9) throw new RangeError();",
      (value: number) => Number.isInteger(value) && value >= 0 && value <= 9,
    );
    made("Name", "string", "if (value.length === 0 || 5 < value.length) { throw new RangeError(); }", (value: string) => value.length <= 5);
    made("Some", "readonly number[]", "if (value.length <= 0) throw new RangeError();", (value: number[]) => value.length > 0);
    made("Code", "string", "if (!/^[A-Z]{3}-[0-9]{4}$/i.test(value)) throw new RangeError();", (value: string) =>
      /^[A-Z]{3}-[0-9]{4}$/.test(value),
    );
    const checked = made("Small", "number", "if (!isSmall(value)) throw new RangeError();", (value: number) => [3, 4, 5].includes(value));
    expect(new Set(checked)).toEqual(new Set([3, 4, 5]));
  });
});

describe("no value is generated for", () => {
  test.each([
    ["never", "never", "a type such as never cannot be generated"],
    ["symbols", "symbol", "a type such as symbol cannot be generated"],
    ["types of libraries", "WeakMap<object, number>", "values of WeakMap<object, number> cannot be generated"],
    ["qualified names", "NodeJS.Timeout", "NodeJS.Timeout cannot be generated"],
    ["keyof", "keyof { a: 1 }", "values of keyof cannot be generated"],
    ["templates", "`a${string}`", "a type such as `a${string}` cannot be generated"],
    ["tuples with a rest", "[number, ...string[]]", "tuples with a rest element cannot be generated"],
    ["call signatures", "{ (): number }", "an object with a computed member, a call or a construct signature cannot be generated"],
    ["arrays without a type", "Array", "a type without its type arguments cannot be generated"],
    ["a name of Object", "toString", "values of toString cannot be generated"],
  ])("%s", (_, type, reason) => {
    expect(reasonOf(`export type Wanted = ${type};`)).toBe(reason);
  });

  test.each([
    ["an abstract class", "export abstract class A {}", "A is abstract"],
    ["a class that only inherits a constructor", "class B {}\nexport class A extends B {}", "A has no constructor of its own"],
    ["a class that is not exported", "class A { constructor(n: number) {} }", "A is not exported"],
    [
      "a class with a private constructor",
      "export class A { private constructor() {} }",
      "A has a private constructor and no static method that returns one",
    ],
    ["a brand without a factory", "export type A = number & { __brand: 'a' };", "A has no exported constructor function in src/types.ts"],
    ["a value", "export const A = 1;", "A is no type"],
  ])("%s", (_, code, reason) => {
    expect(reasonOf(`${code}\nexport type Wanted = A;`)).toBe(reason);
  });
});

test("numbers and sizes stay within their bounds", () => {
  const support = stripTypeScriptTypes(SUPPORT);
  const bound = fc.option(
    fc.integer({ min: -50, max: 50 }).map((n) => n / 2),
    { nil: undefined },
  );
  fc.assert(
    fc.property(bound, bound, fc.boolean(), fc.boolean(), fc.boolean(), (min, max, minExcluded, maxExcluded, integer) => {
      fc.pre((max ?? 60) - (min ?? -60) > 2);
      const bounds = { ...(min === undefined ? {} : { min, minExcluded }), ...(max === undefined ? {} : { max, maxExcluded }), integer };
      const program = `${support}\nreturn fc.sample(${numbersWithin(bounds)}, 50);`;
      const numbers = new Function("fc", "assert", program)(fc, assert) as number[];
      for (const n of numbers) {
        expect(min === undefined || (minExcluded ? n > min : n >= min)).toBe(true);
        expect(max === undefined || (maxExcluded ? n < max : n <= max)).toBe(true);
        if (integer) expect(Number.isInteger(n)).toBe(true);
      }
    }),
  );
  expect(numbersWithin({ min: 0, minExcluded: true, max: 0.1 })).toBe("fc.double({ min: 0, max: 0.1, noNaN: true })");
  expect(sizeWithin({ min: 2, minExcluded: true, max: 4, maxExcluded: true }, 10)).toBe("minLength: 3, maxLength: 3");
});
