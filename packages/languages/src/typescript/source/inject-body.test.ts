import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOLE } from "./hole.ts";
import { injectBody } from "./inject-body.ts";
import { parseSource } from "./parse-source.ts";
import { isFault, tryParse } from "./program.ts";

const SHAPES: readonly [name: string, text: string][] = [
  ["f", `export function f(a: number): number {\n  ${HOLE}\n}\n`],
  ["f", `function f(): void { ${HOLE} }\n`],
  ["f", `export async function f(): Promise<number> {\n  ${HOLE}\n}\n`],
  ["f", `export function* f(): Generator<number> {\n  ${HOLE}\n}\n`],
  ["f", `export async function* f(): AsyncGenerator<number> {\n  ${HOLE}\n}\n`],
  ["default", `export default function (): number {\n  ${HOLE}\n}\n`],
  ["f", `export default function f(): number { ${HOLE} }\n`],
  ["default", `export default (a: number): number => { ${HOLE} };\n`],
  ["f", `export const f = (a: number): number => {\n  ${HOLE}\n};\n`],
  ["f", `export const f = (a: number): number => a * 2;\n`],
  ["f", `export const f = (a: number): { a: number } => ({ a });\n`],
  ["f", `const f = async (a: number): Promise<number> => /* => */ ((await a)), g = 1;\n`],
  ["f", `const f = function* (): Generator<number> { ${HOLE} };\n`],
  ["f", `function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: unknown): unknown {\n  ${HOLE}\n}\n`],
  ["f", `function f<T extends { a: () => void }>({ a = { b: 1 } }: Options<T> = {}): asserts a is T {\n  ${HOLE}\n}\n`],
  ["A.m", `class A {\n  m(): number {\n    ${HOLE}\n  }\n}\n`],
  ["A.m", `export class A<T> extends B<T> implements C {\n\tstatic async *m(): AsyncGenerator<T> {\n\t\t${HOLE}\n\t}\n}\n`],
  ["A.p", `class A {\n  #p(): number { ${HOLE} }\n  readonly q: number = 1;\n}\n`],
  ["A.v", `class A { get v(): number { ${HOLE} } set v(n: number) { ${HOLE} } }\n`],
  ["A.v.set", `class A { get v(): number { ${HOLE} } set v(n: number) { ${HOLE} } }\n`],
  ["A.constructor", `class A { readonly a: number; constructor(a: number) { ${HOLE} } }\n`],
  ["A.constructor", `class A extends B {\n  constructor(a: number) {\n    super(a);\n    ${HOLE}\n  }\n}\n`],
  ["A.f", `class A {\n  f = (a: number): number => a;\n}\n`],
  ["A.[Symbol.iterator]", `class A { *[Symbol.iterator](): Generator<number> { ${HOLE} } }\n`],
  ["api.deposit", `export const api = {\n  deposit(a: number): number { ${HOLE} },\n  withdraw: (a: number): number => a,\n} as const;\n`],
  ["api.withdraw", `export const api = {\n  deposit(a: number): number { ${HOLE} },\n  withdraw: (a: number): number => a,\n} as const;\n`],
  ["f", `\uFEFFfunction f(): number {\n  ${HOLE}\n}\n`],
  ["f", `#!/usr/bin/env node\r\n/** é 😀 */\r\nexport function f(): number {\r\n  ${HOLE}\r\n}\r\n\r\nexport function g(): void {}\r\n`],
  ["f", `function f(\n  a: number,\n): number\n{\n  ${HOLE}\n}\nfunction g(): string { return "}"; }\n`],
];

const inject = (text: string, name: string, body: string) => injectBody(parseSource(text), name, body);
const code = (code: string) => expect.objectContaining({ code });

describe("the body", () => {
  test.each(SHAPES)("[CRI-182] of %s replaces the former one and nothing else: %j", (name, text) => {
    const before = parseSource(text);
    const { body } = before.functions.find((one) => one.name === name)!;
    const after = injectBody(before, name, "return g(1); // done");
    const now = after.functions.find((one) => one.name === name)!;
    expect(after.text.slice(0, body.start)).toBe(text.slice(0, body.start));
    expect(after.text.slice(now.body.end)).toBe(text.slice(body.end));
    expect(after.text.slice(now.body.start, now.body.end)).toMatch(/^\{\r?\n[ \t]*return g\(1\); \/\/ done\r?\n[ \t]*\}$/);
    expect(now.isHole).toBe(false);
    expect(now.calls).toEqual(["g"]);
    // What was derived from the former offsets is what a new parse finds.
    expect(after).toEqual(parseSource(after.text));
    expect(injectBody(after, name, HOLE).functions.find((one) => one.name === name)?.isHole).toBe(true);
  });

  test("has the indentation of its place and the line ends of its file", () => {
    const body = "if (a) {\n  return `\n  as it is\n`;\n}\n\n\treturn 'a\\\n   b';";
    expect(inject(`class A {\n  m(): string { ${HOLE} }\n}\n`, "A.m", body).text).toBe(
      "class A {\n  m(): string {\n    if (a) {\n      return `\n  as it is\n`;\n    }\n\n    \treturn 'a\\\n   b';\n  }\n}\n",
    );
    expect(inject(`function f(): number { ${HOLE} }\r\n`, "f", "  a();\n\n  return 1;\n").text).toBe(
      "function f(): number {\r\n  a();\r\n\r\n  return 1;\r\n}\r\n",
    );
    expect(inject(`function f(): number { ${HOLE} }\n`, "f", "a();\r\n    return 1;").text).toBe(
      "function f(): number {\n  a();\n  return 1;\n}\n",
    );
    expect(inject(`function f(): number { ${HOLE} }\n`, "f", "return a\n  .b();").text).toBe(
      "function f(): number {\n  return a\n    .b();\n}\n",
    );
    expect(inject(`function f(): void { ${HOLE} }`, "f", " \n ").text).toBe("function f(): void {}");
  });

  const GOOD = [
    "return 1;",
    "",
    "// only a comment",
    "/* } */ return '}' + \"}\" + `}${`}`}` + /}/.source;",
    "const { a } = { a: 1 }; { { } } ; return a",
    "class Inner { #x = 1; static { } m() { return super.toString(); } }\nfunction* inner() { yield 1; }",
    "label: for (const x of []) { continue label; }",
    "return '</script><!-- -->';",
    "const x = '\uFEFF';\uFEFF return x;",
    "const unit = `\r\n  a\r\n`;\r\nreturn unit;",
    "type T = { a: 1 }; interface I { b(): void } const t = <T,>(x: T): T => x; return t satisfies unknown as never;",
  ];
  test.each(GOOD)("[CRI-182] may be any statements: %j", (body) => {
    const after = inject(`/** doc */\nexport function f(): unknown { ${HOLE} }\nexport const last = 1;\n`, "f", body);
    expect(after).toEqual(parseSource(after.text));
    expect(after.text.startsWith("/** doc */\nexport function f(): unknown {")).toBe(true);
    expect(after.text.endsWith("}\nexport const last = 1;\n")).toBe(true);
  });

  test("may use await, yield and super where its function allows it, and not elsewhere", () => {
    expect(() => inject(`async function f(): Promise<void> { ${HOLE} }`, "f", "await 1;")).not.toThrow();
    expect(() => inject(`function f(): void { ${HOLE} }`, "f", "await 1;")).toThrow(code("body_syntax"));
    expect(() => inject(`const f = (): void => { ${HOLE} }`, "f", "await 1;")).toThrow(code("body_syntax"));
    expect(() => inject(`function* f(): Generator { ${HOLE} }`, "f", "yield 1;")).not.toThrow();
    expect(() => inject(`class A { *m(): Generator { ${HOLE} } n(): void { ${HOLE} } }`, "A.n", "yield 1;")).toThrow(code("body_syntax"));
    expect(() => inject(`class A extends B { constructor() { ${HOLE} } }`, "A.constructor", "super(); this.#x = 1;")).not.toThrow();
  });

  test("may be long, or empty over many lines", () => {
    expect(inject(`function f(): void { ${HOLE} }`, "f", "\n".repeat(300_000)).text).toBe("function f(): void {}");
    const body = "total += step(1);\n".repeat(40_000);
    expect(inject(`function f(): void { ${HOLE} }`, "f", body).text.length).toBeGreaterThan(700_000);
  });
});

describe("a body that is refused", () => {
  const ESCAPES = [
    "} export function evil(): void {",
    "return 1; } function evil() {",
    "} {",
    "return 1; }; globalThis.evil = 1; {",
    "}, evil() {",
    "} ; ({}) ; class X { m() {",
    "} /* */ evil() {",
    "} // \n function evil() { //",
    "} get evil() { return 1;",
    "}, g = () => {",
    "}); evil(() => {",
  ];
  test.each(ESCAPES)("%j leaves every shape of function", (body) => {
    for (const [name, text] of SHAPES)
      expect(() => inject(text, name, body), text).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^body_(escapes|syntax)$/) }),
      );
    expect(() => inject(`function f(): void { ${HOLE} }\nfunction g(): void {}\n`, "f", "} function evil() {")).toThrow(
      code("body_escapes"),
    );
    expect(() => inject(`class A { m(): void { ${HOLE} } }`, "A.m", "} evil(): void {")).toThrow(code("body_escapes"));
  });

  test("opens a comment or a template that the rest of the file closes", () => {
    expect(() => inject("function f(): void { }\nconst a = `; */ }`;\n", "f", "const x = `")).toThrow(code("body_syntax"));
    expect(() => inject("function f(): void { }\n// */ }\n", "f", "/*")).toThrow(code("body_escapes"));
    expect(() => inject("function f(): void { }\n// */ }\n", "f", "} function evil(): void { /*")).toThrow(code("body_escapes"));
    expect(() => inject("function f(): void { }\n// `}\n", "f", "return `")).toThrow(code("body_escapes"));
  });

  test.each([
    ["const a = ;", 1, 11],
    ["a();\n  b(", 2, 5],
    ["\0", 1, 1],
    ["/* never closed", 1, 1],
    ["return `never closed", 1, 8],
    ["return /never closed", 1, 8],
    ["return 'never closed\n'", 1, 8],
    ["#!/usr/bin/env node", 1, 2],
    ["<!-- html", 1, 1],
    ["import x from 'y';", 1, 1],
    ["if (a) {\n  import 'y';\n}", 2, 3],
    ["export const a = 1;", 1, 1],
    ["export default 1;", 1, 1],
    ["export * from 'y';", 1, 1],
    ["import fs = require('fs');", 1, 1],
    ["case 1:", 1, 1],
    ["const a: = 1", 1, 10],
  ])("is body_syntax with the line and column in the body: %j", (body, line, column) => {
    expect(() => inject(`function f(): void { ${HOLE} }\n`, "f", body)).toThrow(
      expect.objectContaining({ code: "body_syntax", details: expect.objectContaining({ line, column }) }),
    );
  });

  test("nests too deeply", () => {
    expect(() => inject(`function f(): void { ${HOLE} }`, "f", "[".repeat(100_000))).toThrow(code("body_syntax"));
    expect(() => inject(`function f(): void { ${HOLE} }`, "f", `return ${"(".repeat(50_000)}1${")".repeat(50_000)};`)).toThrow(
      code("body_syntax"),
    );
  });

  test("[CRI-182] has no function: the error lists those that exist", () => {
    expect(() => inject(`function f(): void { ${HOLE} }`, "g", "return;")).toThrow(
      expect.objectContaining({ code: "function_not_found", details: expect.objectContaining({ functions: ["f"] }) }),
    );
  });

  test("[CRI-003] leaves the parsed file as it was", () => {
    const source = parseSource(`function f(): void { ${HOLE} }\n`);
    const copy = structuredClone(source);
    for (const body of [...ESCAPES, "const a = ;", "import 'x';"]) expect(() => injectBody(source, "f", body)).toThrow();
    expect(source).toEqual(copy);
  });
});

describe("properties", () => {
  const statement = fc.constantFrom(
    "return a;",
    "const x = { y: [1, 2] };",
    "if (a) {\n  b();\n}",
    "`line\n  line ${a}`;",
    "// comment",
    "/* a\n b */",
    "for (const x of y) z(x);",
    "'a\\\n  b';",
    "",
    "   indented();",
    "x = /[}]/;",
    "throw new Error('hole')",
    "while (a) { const f = () => ({}); }",
  );
  const bodies = fc.array(statement, { maxLength: 8 }).map((lines) => lines.join("\n"));
  const shape = fc.constantFrom(...SHAPES);

  test("[CRI-182] any statements arrive with the same meaning, and everything outside is the same", () => {
    fc.assert(
      fc.property(shape, bodies, ([name, text], body) => {
        const before = parseSource(text);
        const { body: place } = before.functions.find((one) => one.name === name)!;
        const after = injectBody(before, name, body);
        const now = after.functions.find((one) => one.name === name)!;
        expect(after.text.slice(0, place.start) + after.text.slice(now.body.end)).toBe(text.slice(0, place.start) + text.slice(place.end));
        expect(meaning(after.text.slice(now.body.start + 1, now.body.end - 1))).toEqual(meaning(body));
        expect(after).toEqual(parseSource(after.text));
      }),
      { numRuns: 400 },
    );
  });

  test("a hole, a body and the hole again give the same bytes", () => {
    fc.assert(
      fc.property(shape, bodies, ([name, text], body) => {
        const hole = injectBody(parseSource(text), name, HOLE);
        const again = injectBody(injectBody(hole, name, body), name, HOLE);
        expect(again).toEqual(hole);
        const written = injectBody(hole, name, body);
        const inner = written.functions.find((one) => one.name === name)!.body;
        expect(injectBody(written, name, written.text.slice(inner.start + 1, inner.end - 1)).text).toBe(written.text);
      }),
      { numRuns: 300 },
    );
  });

  test("any text is injected whole or refused", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "(",
        ")",
        "`",
        "${",
        "'",
        '"',
        "/*",
        "*/",
        "//",
        "\n",
        "/",
        ";",
        ",",
        "=>",
        "a",
        " ",
        "function g()",
        "class",
        "return",
        "\\",
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(
        shape,
        fc.oneof(
          pieces.map((all) => all.join("")),
          fc.string({ unit: "binary" }),
        ),
        ([name, text], body) => {
          const before = parseSource(text);
          try {
            const after = injectBody(before, name, body);
            expect(after).toEqual(parseSource(after.text));
            expect(after.functions.map((one) => one.name)).toEqual(before.functions.map((one) => one.name));
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^body_(syntax|escapes)$/) });
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const NO_MEANING = new Set(["start", "end", "raw", "directive"]);
  /** The syntax tree without positions and the text of literals. */
  function meaning(body: string): unknown {
    const tree = tryParse(`async function* f() {${body}\n}`);
    if (isFault(tree)) throw new Error(tree.message);
    return JSON.parse(JSON.stringify(tree.program, (key, value: unknown) => (NO_MEANING.has(key) ? undefined : value)));
  }
});

test("injections into a file of 2,000 lines: the time is printed", () => {
  const functions = Array.from(
    { length: 200 },
    (_, index) =>
      `/** REQUIRES: a > ${index} */\nexport function f${index}(a: number): number {\n  ${HOLE}\n}\n\n// 6\n// 7\n// 8\n// 9\n// 10\n`,
  );
  let source = parseSource(functions.join(""));
  const times = source.functions.map(({ name }) => {
    const start = performance.now();
    source = injectBody(source, name, "const double = a * 2;\nif (double > 4) {\n  return double;\n}\nreturn other(double);");
    return performance.now() - start;
  });
  console.log(`one injection: ${times.toSorted((a, b) => a - b)[100]?.toFixed(2)} ms (p50 of 200)`);
  expect(source).toEqual(parseSource(source.text));
});
