import { describe, expect, test } from "vitest";
import { HOLE } from "./hole.ts";
import { latticeProblems } from "./lattice-problems.ts";
import { parseSource } from "./parse-source.ts";

const problems = (text: string, path = "src/domain/account.ts") => latticeProblems(path, parseSource(text));
const lines = (text: string) => problems(text).map(({ line, column, message }) => `${line}:${column} ${message}`);

describe("a skeleton", () => {
  test("[CRI-038] [CRI-042] may have imports, types, classes, constants and functions with holes", () => {
    const text = `#!/usr/bin/env node
import { Money } from "./money.ts";
import type { Account } from "../services/account.ts";
import type { Readable } from "node:stream";
import "./side.ts";
export { Money } from "./money.ts";
export type { Other } from "./other.ts";
export * from "./all.ts";
export interface Shape { area(): number }
export type Status = "open" | "closed";
declare const brand: unique symbol;
export const LIMITS = { most: 5, least: -1, names: ["a", \`b\`, null, , true], nested: { re: /x/u, big: 1n, "quoted": !0 } } as const satisfies object;
export const STATUS: Status = "open";
const alias = LIMITS;
const WEEK_MS: number = 7 * 24 * 60 * 60_000;
const UNITS: ReadonlySet<string> = new Set(["piece", "kg"]);
const FACTORS = new Map<string, number>([["kg", 1000]]);
;
/** REQUIRES: a > 0 */
export function f(a: number, b = 5): number { ${HOLE} }
export function over(a: 1): 1;
export function over(a: number): number { ${HOLE} }
export const arrow = async (): Promise<void> => { ${HOLE} };
export const typed: Compare = (a, b) => { ${HOLE} };
export const api = { deposit(): void { ${HOLE} }, inner: { get v(): number { ${HOLE} } } };
export abstract class Base<T> implements Shape {
  static readonly kind = "base";
  readonly a: number;
  #b: string = "";
  readonly #items: Map<string, number> = new Map();
  names = new Set<string>();
  [key: string]: unknown;
  constructor(a: number) { ${HOLE} }
  abstract area(): number;
  set v(n: number) { ${HOLE} }
  *[Symbol.iterator](): Generator<T> { ${HOLE} }
  field = (): void => { ${HOLE} };
}
export class Derived extends Base<string> { constructor() { super(1); ${HOLE} } area(): number { ${HOLE} } }
export default alias;
`;
    expect(lines(text)).toEqual([]);
  });

  test.each([
    ["return 1;", "a return"],
    ["", "no statement"],
    [`console.log("x"); ${HOLE}`, "I/O before the marker"],
    [`${HOLE} return 1;`, "code after the marker"],
    [`if (a) { ${HOLE} }`, "the marker inside a branch"],
    [`throw new Error("not a hole");`, "another error"],
    [`/* ${HOLE} */`, "the marker in a comment"],
  ])("[CRI-042] has no body with %s", (body) => {
    const shapes = [
      `export function f(a: number): number { ${body} }`,
      `export const f = (a: number): number => { ${body} };`,
      `class f { m(a: number): number { ${body} } }`,
      `class f { get m(): number { ${body} } }`,
      `class f extends Base { constructor() { ${body} } }`,
      `const f = { m(a: number): number { ${body} } };`,
      `export default function (a: number): number { ${body} }`,
    ];
    for (const shape of shapes)
      expect(problems(shape), shape).toMatchObject([
        { line: 1, message: expect.stringMatching(/^The body of .* holds something besides the hole marker\.$/) },
      ]);
  });

  test("[CRI-042] has no expression as a body", () => {
    expect(lines("export const double = (a: number): number => a * 2;")).toEqual([
      "1:46 The body of double holds something besides the hole marker.",
    ]);
  });

  const CALL = /^(?:A call|A new object|An await|An import|An assignment|A spread|An expression) is evaluated/;
  test.each([
    [`console.log("x");`, /does something when the file is loaded/],
    [`"use strict";`, /does something/],
    [`for (const a of []) {}`, /does something/],
    [`if (true) {}`, /does something/],
    [`await load();`, /does something/],
    [`throw new Error("hole");`, /does something/],
    [`x = 1;`, /does something/],
    [`{ let a = 1; }`, /does something/],
    [`const a = load();`, CALL],
    [`const a = new Map();`, CALL],
    [`const a = await import("./a.ts");`, CALL],
    [`const a = (b = 1);`, CALL],
    [`const a = [load()];`, CALL],
    [`const a = { b: { c: load() } };`, CALL],
    [`const a = { ...b };`, CALL],
    [`const a = [...b];`, CALL],
    [`const a = { [load()]: 1 };`, CALL],
    ["const a = `${load()}`;", CALL],
    ["const a = tag`x`;", CALL],
    [`const a = -load();`, CALL],
    [`const a = b.c;`, CALL],
    [`const a = 1 + load();`, CALL],
    [`const a = 1 < 2;`, CALL],
    [`const a = new Set([load()]);`, CALL],
    [`const a = new Set(...b);`, CALL],
    [`const a = new Date();`, CALL],
    [`class A { a = new Map(load()); }`, CALL],
    [`const a = (load() as number)!;`, CALL],
    [`const a = [(): void => { ${HOLE} }];`, /without a name of its own/],
    [`const a = class { m(): void { ${HOLE} } };`, /Declare the class/],
    [`const { a } = b;`, /taken apart/],
    [`let a = 1;`, /use const, not let/],
    [`var a = 1;`, /use const, not var/],
    [`using a = b;`, /use const, not using/],
    [`export default load();`, CALL],
    [`enum E { A }`, /union of literals/],
    [`export const enum E { A }`, /union of literals/],
    [`namespace N { export const a = 1; }`, /use files/],
    [`declare global { interface Window {} }`, /global types/],
    [`import a = require("a");`, /import … from/],
    [`export = a;`, /Use export/],
    [`declare const a: number;`, /does not exist at run time/],
    [`declare function f(): void;`, /does not exist at run time/],
    [`declare class A {}`, /does not exist at run time/],
    [`class A { a = load(); }`, CALL],
    [`class A { static a = new Map(); }`, CALL],
    [`class A { static { } }`, /static block/],
    [`class A extends mixin(B) {}`, /computed value/],
    [`class A { [load()](): void { ${HOLE} } }`, /computed/],
    [`@logged class A {}`, /decorator/],
    [`class A { @logged m(): void { ${HOLE} } }`, /decorator/],
    [`class A { constructor(private a: number) { ${HOLE} } }`, /field in its parameters/],
    [`function f(a = load()): void { ${HOLE} }`, CALL],
    [`function f({ a = load() }: Options): void { ${HOLE} }`, CALL],
    [`// @ts-ignore`, /hides errors/],
    [`/* @ts-nocheck */`, /hides errors/],
    [`import fs from "node:fs";`, /relative paths only/],
    [`import type { A } from "a";`, /relative paths only/],
    [`export * from "lodash";`, /relative paths only/],
    [`import a from "/etc/a.ts";`, /relative paths only/],
    [`import a from "../../../a.ts";`, /outside the tree/],
  ])("[CRI-038] has nothing that runs when it is loaded: %s", (text, message) => {
    expect(problems(`\n  ${text}\n`)).toMatchObject([{ file: "src/domain/account.ts", line: 2, message: expect.stringMatching(message) }]);
  });

  test("[CRI-042] may hold code only in generated witnesses below src/witnesses", () => {
    const text = "export function positive(value: number): number {\n  if (value <= 0) throw new RangeError();\n  return value;\n}\n";
    expect(problems(text, "src/witnesses/positive.ts")).toEqual([]);
    for (const path of ["src/witnesses.ts", "src/domain/witnesses/a.ts", "witnesses/a.ts", "src/witnessesx/a.ts"])
      expect(problems(text, path)).toHaveLength(1);
  });

  test("has an explicit return type for every function, because a body must not change a signature", () => {
    expect(
      lines(`export function f() { ${HOLE} }\nconst g = () => { ${HOLE} };\nclass A { m() { ${HOLE} }\n get v() { ${HOLE} } }`),
    ).toEqual([
      "1:1 f has no explicit return type.",
      "2:1 g has no explicit return type.",
      "3:11 A.m has no explicit return type.",
      "4:2 A.v has no explicit return type.",
    ]);
  });

  test("[CRI-042] has several problems in the order of the text, with line and column", () => {
    expect(lines(`\uFEFFload();\r\nexport function f(): number {\r\n  return 1;\r\n}\r\n`)).toEqual([
      "1:2 A statement at the top level does something when the file is loaded.",
      "2:29 The body of f holds something besides the hole marker.",
    ]);
  });
});
