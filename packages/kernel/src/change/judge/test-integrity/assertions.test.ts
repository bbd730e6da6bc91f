import { describe, expect, test } from "vitest";
import { assertionsIn } from "./assertions.ts";
import { lex, type TestLanguage } from "./test-language.ts";

const read = (text: string, language: TestLanguage = "js", names: readonly string[] = []) =>
  assertionsIn(lex(text, language), language, names);

describe("assertions of JavaScript", () => {
  test.each([
    ["assert.equal(total([1, 2]), 3);", "assert.equal", true, ["1", "2", "3"]],
    ["assert(a);", "assert", false, []],
    ["await fc.assert(fc.asyncProperty(fc.nat(), async (n) => half(n) <= 7), settings);", "fc.assert", true, ["7"]],
    ["assert.ok(a === 3);", "assert.ok", true, ["3"]],
    ["t.assert.snapshot(a());", "t.assert.snapshot", true, []],
    ["await expect(load('x')).resolves.toEqual({ a: true });", "expect.resolves.toEqual", true, ['"x"', "true"]],
    ["expect(a)\n  .not\n  .toBe(`b`);", "expect.not.toBe", false, ['"b"']],
    ["t.is(a, 1.5e3)", "t.is", true, ["1.5e3"]],
    ["assert.throws(() => assert.equal(a, 1), RangeError)", "assert.throws", true, ["1"]],
  ])("%s", (text, method, exact, literals) => {
    expect(read(text)).toMatchObject([{ method, exact, literals, idle: false }]);
  });

  test("a function imported from an assertion library asserts under its own name, too", () => {
    expect(read("equal(a, 1); other(b);", "js", ["equal", "ok"])).toMatchObject([{ method: "equal", literals: ["1"] }]);
    expect(read("$is(a, 1);", "js", ["$is"])).toHaveLength(1);
  });

  test("comments, strings and methods of other objects do not assert", () => {
    expect(read('// assert.ok(a)\nlog("assert.ok(a)"); my.assert(a); reassert(b);')).toEqual([]);
  });
});

describe("assertions of Python", () => {
  test.each([
    ['self.assertEqual(a.b("x"), 3)', "self.assertEqual", true, ['"x"', "3"]],
    ["self.assertTrue(a)", "self.assertTrue", false, []],
    ["assert a(1) == [\n  2,\n]\nb = 3", "assert", true, ["1", "2"]],
    ["assert a", "assert", false, []],
    ["with pytest.raises(ValueError):", "pytest.raises", true, []],
    ["np.testing.assert_allclose(a, 1)", "np.testing.assert_allclose", true, ["1"]],
  ])("%s", (text, method, exact, literals) => {
    expect(read(text, "py")).toMatchObject([{ method, exact, literals, idle: false }]);
  });
});

test.each([
  ["assert.ok(true)", "js"],
  ["expect(true).toBe(true)", "js"],
  ["assert.equal(1, 1)", "js"],
  ["assert.equal(f(a, [1]), f(a, [1]))", "js"],
  ["self.assertTrue(True)", "py"],
  ["assert True", "py"],
  ["assert x == x", "py"],
] as const)("%s always holds", (text, language) => {
  expect(read(text, language)).toMatchObject([{ idle: true }]);
});
