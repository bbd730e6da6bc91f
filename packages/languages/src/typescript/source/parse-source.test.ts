import { describe, expect, test } from "vitest";
import { parseSource } from "./parse-source.ts";

const names = (text: string) => parseSource(text).functions.map(({ name }) => name);
const only = (text: string) => {
  const [found, ...more] = parseSource(text).functions;
  expect(more).toEqual([]);
  return found!;
};

describe("names", () => {
  test.each([
    ["function f(): void {}", ["f"]],
    ["export async function f(): Promise<void> {}\nexport function* g(): Generator<number> {}", ["f", "g"]],
    ["export default function (): void {}", ["default"]],
    ["export default function named(): void {}", ["named"]],
    ["export default class { m(): void {} }", ["default.m"]],
    ["export default (a: number): number => a;", ["default"]],
    ["const f = (): void => {}, g = function (): void {}, h = 1;", ["f", "g"]],
    ["const f = ((): void => {}) satisfies () => void;", ["f"]],
    [
      "class A { constructor() {} static s(): void {} #p(): void {} get v(): number { return 1; } set v(n: number) {} }",
      ["A.constructor", "A.s", "A.p", "A.v", "A.v.set"],
    ],
    ["class A { s(): void {} static s(): void {} }", ["A.s", "A.s~2"]],
    [
      "class A { 'a b'(): void {} [Symbol.iterator](): void {} 1(): void {} f = (): void => {}; n = 1; declare d: 1; static {} [key: string]: unknown }",
      ["A.'a b'", "A.[Symbol.iterator]", "A.1", "A.f"],
    ],
    ["abstract class A { abstract a(): void; b(): void {} }", ["A.b"]],
    [
      "export const api = { a(): void {}, b: (): void => {}, c: { d(): void {} }, get e(): number { return 1; }, set e(n: number) {}, f: 1, ...api2 };",
      ["api.a", "api.b", "api.c.d", "api.e", "api.e.set"],
    ],
    ["const A = class { m(): void {} };", ["A.m"]],
    ["function f(a: number): void;\nfunction f(a: string): void;\nfunction f(a: unknown): void {}", ["f"]],
    ["declare function f(): void;\ndeclare class B { m(): void }\ninterface I { m(): void }", []],
    ["function f(): void { function inner() {} class C { m() {} } }\nif (true) { function g() {} }", ["f"]],
    ["const { a } = { a: () => 1 }; let f; 1;", []],
  ])("%s", (text, expected) => expect(names(text)).toEqual(expected));
});

describe("a function", () => {
  test("has its parameters and types as text", () => {
    const found = only(
      `export function f<T>(this: Window, a: Map<string, T[]>, { b, c }: Options, d?: number, e = 5, g = now(), ...rest: readonly T[]): asserts a is never {}`,
    );
    expect(found.parameters).toEqual([
      { name: "a", type: "Map<string, T[]>" },
      { name: "{ b, c }", type: "Options" },
      { name: "d", type: "number | undefined" },
      { name: "e", type: "number | undefined" },
      { name: "g", type: "unknown | undefined" },
      { name: "...rest", type: "readonly T[]" },
    ]);
    expect(found.returns).toBe("asserts a is never");
  });

  test("takes types from the constant that holds it", () => {
    const found = only("const f: Compare = (a, ...b) => 0;");
    expect(found.parameters).toEqual([
      { name: "a", type: "Parameters<Compare>[0]" },
      { name: "...b", type: "Parameters<Compare>[1]" },
    ]);
    expect(found.returns).toBe("ReturnType<Compare>");
  });

  test("returns its class from a constructor, nothing from a setter, and something unknown without a type", () => {
    const returns = parseSource("class A { constructor(private x: number) {} set v(n: number) {} m() {} }").functions.map(
      (one) => one.returns,
    );
    expect(returns).toEqual(["A", "void", "unknown"]);
  });

  test("has a signature on one line without comments, with strings as they are", () => {
    const found = only(
      `export async function f(\n  // a comment => with an arrow\n  a: "two  spaces",\n  b: number, /* more */\n): Promise<void> {\n}`,
    );
    expect(found.signature).toBe(`export async function f( a: "two  spaces", b: number, ): Promise<void>`);
    expect(only("export const f = (a: number): number =>\n  a;").signature).toBe("export const f = (a: number): number =>");
    expect(only("class A {\n  static async m(): Promise<void> {}\n}").signature).toBe("static async m(): Promise<void>");
  });

  test.each([
    ["const f = (): number => 1;", "1"],
    ["const f = (): object => ({ a: 1 });", "({ a: 1 })"],
    ["const f = (a: () => void) => /* => */ ((a))\n;", "/* => */ ((a))"],
    ["const f = <T extends () => void>() => 1", "1"],
    ["function f(): void { return; }", "{ return; }"],
  ])("has the offsets of its body: %s", (text, expected) => {
    const { body } = only(text);
    expect(text.slice(body.start, body.end)).toBe(expected);
  });

  test("has the doc comment directly above it, with the line of its text", () => {
    const text = `/** of the file */\nconst x = 1;\n\n/**\n * REQUIRES: a > 0\n *   indented\n *\n * ENSURES: b\n */\n// between\nexport function f(): void {}\nexport function g(): void {}\n/** short */ export const h = (): void => {};\n/***/\nfunction i(): void {}\n/* plain */\nfunction j(): void {}\n/**  */ function k(): void {}`;
    const found = parseSource(text).functions;
    expect(found.map(({ doc }) => doc)).toEqual(["REQUIRES: a > 0\n  indented\n\nENSURES: b", null, "short", null, null, null]);
    expect(found.map(({ docLine, line }) => [docLine, line])).toEqual([
      [5, 11],
      [12, 12],
      [13, 13],
      [15, 15],
      [17, 17],
      [18, 18],
    ]);
    for (const [index, line] of ["REQUIRES: a > 0", "indented", "", "ENSURES: b"].entries())
      expect(text.split("\n")[found[0]!.docLine - 1 + index]).toContain(line);
  });

  test("of an overloaded name has the doc comment of its first overload if it has none itself", () => {
    expect(
      only(
        "/** first */\nexport function f(a: 1): void;\n/** second */\nexport function f(a: 2): void;\nexport function f(a: number): void {}",
      ).doc,
    ).toBe("first");
    expect(only("/** first */\nfunction f(a: 1): void;\n/** own */\nfunction f(a: number): void {}").doc).toBe("own");
  });

  test.each([
    ["function f(): void {}\nexport { f };", [true]],
    ["function f(): void {}\nexport { f as g };", [true]],
    ["function f(): void {}\nexport default f;", [true]],
    ["function f(): void {}\nexport { g } from './g.ts';", [false]],
    ["export class A { m(): void {} private p(): void {} #q(): void {} protected r(): void {} }", [true, false, false, true]],
    ["class A { m(): void {} }\nexport { A };", [true]],
    ["export const a = { m(): void {} };\nconst b = { m(): void {} };", [true, false]],
  ])("is exported or not: %s", (text, expected) =>
    expect(parseSource(text).functions.map(({ isExported }) => isExported)).toEqual(expected),
  );

  test("lists calls as written, each once", () => {
    const body =
      "withdraw(a); account.withdraw(); account?.withdraw(); this.#check(); new Money(1); tag`x`; list.map((n) => inner(n)); withdraw(b); (0, f)(); table[0](); super.close(); a!.b(); f()();";
    expect(only(`function f(): void { ${body} }`).calls).toEqual([
      "withdraw",
      "account.withdraw",
      "this.#check",
      "Money.constructor",
      "tag",
      "list.map",
      "inner",
      "super.close",
      "a.b",
      "f",
    ]);
    expect(only("const f = (): number => g(1);").calls).toEqual(["g"]);
  });

  test("[CRI-039] is a hole if its body is the marker and nothing else, whatever the layout", () => {
    const bodies: readonly [string, boolean][] = [
      [`{ throw new Error("hole"); }`, true],
      [`{\n  // to do\n  throw new Error('hole')\n}`, true],
      [`{ throw new Error("whole"); }`, false],
      [`{ throw new Error("hole", { cause: 1 }); }`, false],
      [`{ throw new RangeError("hole"); }`, false],
      [`{ throw Error("hole"); }`, false],
      [`{ throw new Error(); }`, false],
      [`{ log(); throw new Error("hole"); }`, false],
      [`{ throw new Error("hole"); ; }`, false],
      [`{ return 'throw new Error("hole");'; }`, false],
      [`{ /* throw new Error("hole"); */ }`, false],
      [`{ "use strict"; throw new Error("hole"); }`, false],
    ];
    for (const [body, expected] of bodies) expect([body, only(`function f(): never ${body}`).isHole]).toEqual([body, expected]);
    expect(only(`const f = (): string => "hole";`).isHole).toBe(false);
  });

  test("[CRI-039] in a derived class, a constructor may call super with parameters and literals before the marker", () => {
    const hole = (body: string, extending = "extends B ") => only(`class A ${extending}{ constructor(a: number) { ${body} } }`).isHole;
    expect(hole(`super(a, 1); throw new Error("hole");`)).toBe(true);
    expect(hole(`throw new Error("hole");`)).toBe(true);
    expect(hole(`super(load()); throw new Error("hole");`)).toBe(false);
    expect(hole(`super(a); this.a = a; throw new Error("hole");`)).toBe(false);
    expect(hole(`super.m(); throw new Error("hole");`)).toBe(false);
    expect(hole(`super(a); throw new Error("hole");`, "")).toBe(false);
  });
});

describe("a text", () => {
  test("keeps byte-order mark, CRLF and non-ASCII letters, and offsets count them", () => {
    const text = "\uFEFF// é 😀\r\nexport function f(): string {\r\n  return '😀';\r\n}\r\n";
    const parsed = parseSource(text);
    expect(parsed.text).toBe(text);
    const { body, line } = parsed.functions[0]!;
    expect(text.slice(body.start, body.end)).toBe("{\r\n  return '😀';\r\n}");
    expect(line).toBe(2);
  });

  test("keeps its hashbang, and lone surrogates move no offset", () => {
    const text = "#!/usr/bin/env node\nconst s = '\uD800';\nfunction f(): void { g(); }\n";
    const { body } = only(text);
    expect(text.slice(body.start, body.end)).toBe("{ g(); }");
    expect(names("")).toEqual([]);
  });

  test.each([
    ["function f() {\n  const a = ;\n}", 2, 13],
    ["function f() {", 1, 15],
    ["\0", 1, 1],
    ["const a = 1;\r\n/* never closed", 2, 1],
  ])("that does not parse is source_syntax with line and column: %j", (text, line, column) => {
    expect(() => parseSource(text)).toThrow(
      expect.objectContaining({ code: "source_syntax", details: expect.objectContaining({ line, column }) }),
    );
  });

  const deep: readonly [string, string][] = [
    ["parentheses", "("],
    ["parentheses behind spaces", "(    "],
    ["prefix operators", "!"],
    ["statements without braces", "if(x)"],
    ["sums", "a+"],
    ["arrows", "()=>"],
    ["blocks", "{"],
    ["assignments with a semicolon in a comment", "a=/*;*/"],
    ["conditions with a semicolon in a string", '";"?";":'],
    ["assignments behind a regular expression with a quote", "a=/'/?b:"],
    ["templates", "`${"],
    ["type arguments", "x as A<"],
    ["branches with distance", `if(x){}${" ".repeat(300)}else `],
    ["sums of blocks", "{}+"],
    ["unclear slashes", "a<b>/;/.x="],
    ["properties named like keywords", "a.\nreturn="],
    ["private names like keywords", "a.#return="],
    ["type assertions", "<const>"],
    ["chains of members", "a.b."],
    ["chains of calls", "()"],
    ["comments without an end", "a=/*"],
  ];
  test.each(deep)("that nests too deeply is refused before the native parser overflows its stack: %s", (_, piece) => {
    expect(() => parseSource(piece.repeat(60_000))).toThrow(expect.objectContaining({ code: "source_syntax" }));
  });

  test("that is long but flat is parsed", () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, index) => `export const f${index} = (a: number): number => (a > ${index} ? a / 2 : !/x/.test("") ? 1 : 2)\n`,
    );
    expect(names(lines.join(""))).toHaveLength(3_000);
    expect(
      names(
        `export const list = [${"(1), ".repeat(20_000)}];\nfunction f(): void { if (a) {} else /x/.test(b); x = y++ / 2; ${"if (x) { y = `${a}`; } else z();\n".repeat(5_000)} }`,
      ),
    ).toEqual(["f"]);
  });
});
