import { describe, expect, test } from "vitest";
import { specMentions } from "./spec-mentions.ts";
import { inWords, type ChangedFile } from "./finding.ts";
import { testFindings } from "./test-rules.ts";

const js = (before: string | null, after: string | null, path = "test/a.test.ts"): ChangedFile => ({
  path,
  status: before === null ? "A" : after === null ? "D" : "M",
  before,
  after,
});
const py = (before: string | null, after: string | null) => js(before, after, "test_a.py");
const warnings = (files: readonly ChangedFile[], spec = "") =>
  testFindings(files, specMentions(spec))
    .filter(({ level }) => level === "warning")
    .map(inWords);
const notes = (files: readonly ChangedFile[], spec = "") =>
  testFindings(files, specMentions(spec))
    .filter(({ level }) => level === "note")
    .map(inWords);

const ADDS = 'test("adds", () => {\n  assert.equal(add(1, 2), 3);\n});\n';
const TAKES = 'test("takes", () => {\n  assert.equal(take(3, 2), 1);\n});\n';

describe("removed tests", () => {
  test.each<[string, ChangedFile[]]>([
    ["with their file", [js(ADDS + TAKES, null)]],
    ["from their file", [js(ADDS + TAKES, "")]],
    ["into a comment", [js(ADDS + TAKES, `/*${ADDS}${TAKES}*/`)]],
    ["into strings", [js(ADDS + TAKES, JSON.stringify(ADDS + TAKES))]],
  ])("%s", (_how, files) => {
    expect(warnings(files)).toEqual(['test/a.test.ts: removes 2 tests that were there before: "adds", "takes"']);
  });

  test("only those that are removed", () => {
    expect(warnings([js(ADDS + TAKES, TAKES)])).toEqual(['test/a.test.ts: removes a test that was there before: "adds"']);
    expect(warnings([js(Array.from({ length: 5 }, (_, n) => ADDS.replace("adds", `t${n}`)).join(""), "")])[0]).toMatch(/"t2" and 2 more$/);
  });

  test("are allowed if the specification names the file or the test", () => {
    expect(warnings([js(ADDS, null)], "Remove test/a.test.ts.")).toEqual([]);
    expect(warnings([js(ADDS, null)], "a.test.ts goes")).toEqual([]);
    expect(notes([js(ADDS, null)], 'The test "adds" goes.')[0]).toMatch(/"adds", as the specification says$/);
    expect(warnings([js(ADDS, null)], "See test/a.test.ts.bak and x/test/a.test.ts")).toHaveLength(1);
  });

  test("may have moved to another file, or been renamed", () => {
    expect(warnings([js(ADDS + TAKES, TAKES), js(null, ADDS, "test/b.test.ts")])).toEqual([]);
    expect(warnings([js(ADDS, ADDS.replace("adds", "sums up"))])).toEqual([]);
    expect(warnings([js(ADDS, ADDS.replace("adds", "sums up").replace("3);", "3);\n  assert.ok(true);"))])).toEqual([]);
    expect(warnings([js(ADDS, ADDS.replace("adds", "sums up").replace("3", "4"))])).toHaveLength(1);
  });

  test("methods of Python, too", () => {
    const method = "class T(TestCase):\n    def test_a(self):\n        self.assertEqual(a(), 1)\n";
    expect(warnings([py(method, method.replace("test_a", "_test_a"))])).toEqual([
      'test_a.py: removes a test that was there before: "test_a"',
    ]);
    expect(warnings([py(method, method.replace("class T", "class U"))])).toEqual([]);
  });
});

describe("weakened tests", () => {
  const becomes = (after: string) => warnings([js(ADDS, ADDS.replace("assert.equal(add(1, 2), 3);", after))]);

  test.each([
    ["another value", "assert.equal(add(1, 2), 4);"],
    ["a looser comparison", "assert.ok(add(1, 2), 3);"],
    ["fewer assertions", ""],
    ["a tolerance", "assert.ok(Math.abs(add(1, 2) - 3) < 2);"],
    ["only constants", "assert.equal(1, 2, 3);"],
  ])("%s", (_how, after) => {
    expect(becomes(after)).toEqual(['test/a.test.ts: changes or drops assertions in "adds"']);
  });

  test.each([
    ["stricter", "assert.strictEqual(add(1, 2), 3);"],
    ["more", "assert.equal(add(1, 2), 3);\n  assert.equal(add(0, 0), 0);"],
    ["another name", "assert.equal(sum(1, 2), 3);"],
    ["in a comparison of its own", "assert.ok(add(1, 2) === 3);"],
  ])("and not: %s", (_how, after) => {
    expect(becomes(after)).toEqual([]);
  });

  test("an early end", () => {
    expect(becomes("return;\n  assert.equal(add(1, 2), 3);")).toEqual(['test/a.test.ts: may end before its assertions: "adds"']);
  });

  test("assertions that several tests share", () => {
    const shared = "export function check(a) {\n  assert.equal(a, 1);\n}\n";
    expect(warnings([js(shared, "export function check(a) {}\n", "test/check.ts")])).toEqual([
      'test/check.ts: changes or drops assertions in "what its tests share"',
    ]);
  });

  test("an assertion may move into its own test, or into another file", () => {
    const two = ADDS.replace("3);", "3);\n  assert.equal(add(0, 0), 0);");
    expect(warnings([js(two, `${ADDS}test("nothing", () => assert.equal(add(0, 0), 0));\n`)])).toEqual([]);
    expect(warnings([js(two, null), js(null, ADDS, "test/b.test.ts")])[0]).toContain('"adds"');
  });

  test("are allowed if the specification names file or test", () => {
    const files = [js(ADDS, ADDS.replace("3", "4"))];
    expect(warnings(files, 'The test "adds" expects 4.')).toEqual([]);
    expect(notes(files, "Change test/a.test.ts.")[0]).toMatch(/as the specification says$/);
  });
});

describe("disabled tests", () => {
  test.each([
    ["test.skip(", "skip"],
    ["test.todo(", "todo"],
    ["test.only(", "only"],
    ["xtest(", "skip"],
    ["fit(", "only"],
    ["test.skipIf(true)(", ""],
    ["test.concurrent.skip(", "skip"],
  ])("%s", (call, mark) => {
    const found = warnings([js(ADDS, ADDS.replace("test(", call))]);
    expect(found.some((warning) => mark === "" || warning === `test/a.test.ts: marks "adds" as ${mark}`)).toBe(true);
  });

  test.each([
    ['"adds", { skip: true }, () => {', "skip"],
    ['"adds", { todo: "later" }, () => {', "todo"],
    ['"adds", (t) => {\n  t.skip();', "skip"],
  ])("%s", (head, mark) => {
    expect(warnings([js(ADDS, ADDS.replace('"adds", () => {', head))])).toContain(`test/a.test.ts: marks "adds" as ${mark}`);
  });

  test("suites, too, and new tests; tests that were disabled before are no finding", () => {
    expect(warnings([js(`describe("all", () => {${ADDS}});`, `describe.skip("all", () => {${ADDS}});`)])).toHaveLength(1);
    expect(warnings([js(null, ADDS.replace("test(", "test.skip("))])).toEqual(['test/a.test.ts: marks "adds" as skip']);
    const off = ADDS.replace("test(", "test.skip(");
    expect(warnings([js(off, `${off}${TAKES}`)])).toEqual([]);
    expect(warnings([js(off, ADDS)])).toEqual([]);
    expect(warnings([js(ADDS, ADDS.replace('"adds", ()', '"adds", { skip: false }, ()'))])).toEqual([]);
  });

  const METHOD = "class T(TestCase):\n    def test_a(self):\n        self.assertEqual(a(), 1)\n";
  test.each([
    ["    @unittest.skip('x')\n    def test_a", "skip"],
    ["    @unittest.skipIf(True, 'x')\n    def test_a", "skipIf"],
    ["    @unittest.expectedFailure\n    def test_a", "expectedFailure"],
  ])("Python: %j", (head, mark) => {
    expect(warnings([py(METHOD, METHOD.replace("    def test_a", head))])).toEqual([`test_a.py: marks "test_a" as ${mark}`]);
  });

  test("Python at run time, and a whole class", () => {
    expect(warnings([py(METHOD, METHOD.replace("self.assert", "self.skipTest('x')\n        self.assert"))])).toHaveLength(1);
    expect(warnings([py(METHOD, `@unittest.skip("x")\n${METHOD}`)])).toHaveLength(1);
  });
});

describe("swallowed failures", () => {
  test.each(["try {\n  assert.equal(add(1, 2), 3);\n} catch {}", "await run(() => assert.equal(add(1, 2), 3)).catch(() => {});"])(
    "%s",
    (body) => {
      expect(warnings([js(ADDS, ADDS.replace("assert.equal(add(1, 2), 3);", body))])).toEqual([
        'test/a.test.ts: swallows failures in "adds"',
      ]);
    },
  );

  test("Python", () => {
    const method = "def test_a():\n    try:\n        assert a() == 1\n    except AssertionError:\n        pass\n";
    expect(warnings([py(null, method)])).toEqual(['test_a.py: swallows failures in "test_a"']);
  });
});

describe("new tests that assert nothing", () => {
  test.each(["add(1, 2);", "assert.ok(true);", "expect(1).toBe(1);", "const a = add(1, 2); assert.equal(a, a);"])("%s", (body) => {
    expect(warnings([js(null, `test("new", () => {\n  ${body}\n});\n`)])).toEqual(['test/a.test.ts: asserts nothing in "new"']);
  });

  test.each([
    ["a function of the file", 'function same(a) {\n  assert.equal(a, 1);\n}\ntest("new", () => same(add(1, 2)));\n'],
    ["a function that is called like one that does", 'test("new", () => expectSum(add(1, 2)));\n'],
    ["a name from the library", 'import { equal } from "node:assert";\ntest("new", () => equal(add(1, 2), 3));\n'],
    ["a table", 'test.each([[1, 2, 3]])("%i", (a, b, c) => { expect(add(a, b)).toBe(c); });\n'],
  ])("but not with %s", (_what, text) => {
    expect(warnings([js(null, text)])).toEqual([]);
  });

  test("applies only to new tests", () => {
    expect(warnings([js('test("old", () => run());\n', 'test("old", () => run(2));\n')])).toEqual([]);
  });
});

test("a changed test file that is no weaker is a note; a new one is not; other languages are not read", () => {
  expect(notes([js(ADDS, ADDS + TAKES)])).toEqual(["test/a.test.ts: changes existing tests without weakening them"]);
  expect(testFindings([js(null, ADDS)], specMentions(""))).toEqual([]);
  expect(warnings([js("func TestA", "", "a_test.go")])).toEqual([]);
});
