import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closingOf, indentedEnd, languageOf, lex } from "./test-language.ts";
import { readTests } from "./tests-in.ts";

test.each([
  ["a.ts", "js"],
  ["a.test.mjs", "js"],
  ["a.jsx", "js"],
  ["test_a.py", "py"],
  ["a.go", null],
  ["ts", null],
])("the language of %s is %s", (path, language) => {
  expect(languageOf(path)).toBe(language);
});

describe("comments and strings", () => {
  test.each([
    ["a // b\nc", "a     \nc", "a     \nc"],
    ["a /* b\nc */ d", "a     \n     d", "a     \n     d"],
    ['x("// no")', 'x("// no")', 'x("     ")'],
    ["x('\\'// no')", "x('\\'// no')", "x('       ')"],
    ["`a\n${b}` // c", "`a\n${b}`     ", "` \n    `     "],
    ["return /[/*]/.test(a)", "return /[/*]/.test(a)", "return /    /.test(a)"],
    ["a / b / c", "a / b / c", "a / b / c"],
    ['"open\nnext', '"open\nnext', '"    \nnext'],
    ["/* open", "       ", "       "],
    ["// open", "       ", "       "],
    ["`open", "`open", "`    "],
  ])("of JavaScript: %j", (text, code, bare) => {
    expect(lex(text, "js")).toEqual({ code, bare });
  });

  test.each([
    ["a # b\nc", "a    \nc", "a    \nc"],
    ["x('# no')", "x('# no')", "x('    ')"],
    ['"""a\n# b""" # c', '"""a\n# b"""    ', '""" \n   """    '],
  ])("of Python: %j", (text, code, bare) => {
    expect(lex(text, "py")).toEqual({ code, bare });
  });

  test("every position stays the same, for any text", () => {
    const texts = fc.string({ unit: fc.constantFrom(..."ab\n\"'`/*#\\(){}$ é😀"), maxLength: 80 });
    fc.assert(
      fc.property(texts, fc.constantFrom("js" as const, "py" as const), (text, language) => {
        const { code, bare } = lex(text, language);
        expect([code.length, bare.length]).toEqual([text.length, text.length]);
        for (let at = 0; at < text.length; at++) {
          expect([text[at], " "]).toContain(code[at] === "\n" ? text[at] : code[at]);
          expect([code[at], " "]).toContain(bare[at]);
        }
      }),
    );
  });
});

test("a bracket is closed by its own kind", () => {
  expect(closingOf("f(a, (b), [c)) d", 1)).toBe(13);
  expect(closingOf("f(a", 1)).toBe(3);
});

test("a block of Python ends at the first line indented no deeper than its header", () => {
  const text = "class A:\n    def a(self):\n        x\n\n        y\n    def b(self):\n        z\n";
  expect(text.slice(text.indexOf("def a"), indentedEnd(text, text.indexOf("def a")))).toBe("def a(self):\n        x\n\n        y");
  expect(indentedEnd("def a():\n  x", 0)).toBe(12);
});

test("a text of only opening brackets is parsed in bounded time", () => {
  const text = "test(".repeat(50_000);
  expect(closingOf(text, 4)).toBe(4 + 32 * 1024);
  expect(readTests(`test("a", () => {\n`.repeat(20_000), "js").tests.length).toBeLessThanOrEqual(1_000);
  expect(readTests(`function a() { assert.ok(b);\n`.repeat(10_000), "js").tests).toEqual([]);
  expect(readTests(Array.from({ length: 100 }, (_, depth) => `${" ".repeat(depth)}def test_a():\n`).join(""), "py").tests).toHaveLength(1);
});
