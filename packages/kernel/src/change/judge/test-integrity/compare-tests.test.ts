import { expect, test } from "vitest";
import { compareTests } from "./compare-tests.ts";
import { declaredTitles } from "./declared-titles.ts";

interface Tree {
  readonly files: Readonly<Record<string, string>>;
  /** Test names as a runner writes them. */
  readonly ran: readonly string[];
}

/** The comparison of two trees; files in both are taken as unchanged. */
function compare(before: Tree, now: Tree) {
  const shared = Object.entries(before.files).filter(([path, text]) => now.files[path] === text);
  const unchanged = shared.flatMap(([path, text]) => declaredTitles(path, text) ?? []);
  const others = ({ files }: Tree) =>
    Object.entries(files)
      .filter(([path]) => !shared.some(([same]) => same === path))
      .flatMap(([path, text]) => declaredTitles(path, text) ?? []);
  const reported = (tree: Tree) => ({ ran: new Map(tree.ran.map((name) => [name, 1])), sources: [...unchanged, ...others(tree)] });
  return compareTests(reported(before), reported(now), unchanged);
}

const ADDS = { "test/adds.test.js": 'test("adds", () => {});\ntest("subtracts", () => {});\n' };
const NOTHING = { vanished: [], undeclared: [] };

test("the same tests under other suites, files or classes are no contradiction", () => {
  const before = { files: ADDS, ran: ["calculator > adds", "calculator > subtracts"] };
  expect(compare(before, { files: ADDS, ran: ["test/adds.test.js sums adds", "subtracts"] })).toEqual(NOTHING);
});

test("a test of an unchanged source that no longer runs is named", () => {
  const now = { files: ADDS, ran: ["adds"] };
  expect(compare({ files: ADDS, ran: ["adds", "subtracts"] }, now)).toEqual({ vanished: ["subtracts"], undeclared: [] });
});

test("a test removed from its source may be missing in the report", () => {
  const now = { files: { "test/adds.test.js": 'test("adds", () => {});\n' }, ran: ["adds"] };
  expect(compare({ files: ADDS, ran: ["adds", "subtracts"] }, now)).toEqual(NOTHING);
});

test("a test that never ran on the base is not missing", () => {
  expect(compare({ files: ADDS, ran: ["adds"] }, { files: ADDS, ran: ["adds"] })).toEqual(NOTHING);
});

test.each([
  ["a loop", 'for (const n of numbers) test("adds", () => {});\ntest("other", () => {});\n'],
  ["a table", 'test.each(table)("adds", () => {});\ntest("other", () => {});\n'],
  ["a condition at run time", 'test("adds", (t) => { if (!ready) t.skip(); });\ntest("other", () => {});\n'],
  ["a skip", 'test.skip("adds", () => {});\ntest("other", () => {});\n'],
])("a test whose number of runs depends on %s is not missing while others of its file run", (_what, text) => {
  const files = { "test/adds.test.js": text };
  expect(compare({ files, ran: ["adds", "other"] }, { files, ran: ["other"] })).toEqual(NOTHING);
});

test.each([
  ["a loop", "test/loop.test.js", 'for (const n of numbers) test("counts", () => {});\n', "counts"],
  ["parameters", "test_sum.py", '@pytest.mark.parametrize("n", [1, 2])\ndef test_adds(n):\n    assert n\n', "test_adds[1]"],
])("a file whose tests all come from %s is missing if none of them runs", (_what, path, text, name) => {
  const files = { [path]: text, ...ADDS };
  const others = ["adds", "subtracts"];
  expect(compare({ files, ran: [...others, name] }, { files, ran: others }).vanished).toEqual([name.replace("[1]", "")]);
});

test("a reported test that no source declares is named", () => {
  const now = { files: ADDS, ran: ["adds", "subtracts", "divides"] };
  expect(compare({ files: ADDS, ran: ["adds", "subtracts"] }, now)).toEqual({ vanished: [], undeclared: ["divides"] });
});

test("if the base already reports undeclared tests, another one is no finding", () => {
  const before = { files: ADDS, ran: ["adds", "subtracts", "made by a plug-in"] };
  expect(compare(before, { files: ADDS, ran: ["adds", "subtracts", "also made by it"] })).toEqual(NOTHING);
});

test.each([
  ["a template", "test(`adds ${a} and ${b}`, () => {});\n", "adds 1 and 2"],
  ["a table with placeholders", 'test.each(table)("adds %i and %i", () => {});\n', "sums > adds 1 and 2"],
  ["a name in a table", 'test.each(table)("adds $name", () => {});\n', "adds zeros"],
  ["a variable", "test(title, () => {});\n", "anything at all"],
])("a title computed from %s matches the names it can produce", (_what, text, name) => {
  const now = { files: { ...ADDS, "test/made.test.js": text }, ran: ["adds", "subtracts", name] };
  expect(compare({ files: ADDS, ran: ["adds", "subtracts"] }, now)).toEqual(NOTHING);
});

test("a template matches no name that it cannot produce", () => {
  const now = {
    files: { ...ADDS, "test/made.test.js": "test(`adds ${a} and ${b}`, () => {});\n" },
    ran: ["adds", "subtracts", "divides 4"],
  };
  expect(compare({ files: ADDS, ran: ["adds", "subtracts"] }, now).undeclared).toEqual(["divides 4"]);
});

test.each([
  ["pytest", "test_sum.py", "def test_adds():\n    assert True\n", "test_adds"],
  ["pytest with parameters", "test_sum.py", "def test_adds(n):\n    assert n\n", "test_adds[1-2]"],
  ["go", "sum_test.go", "func TestAdds(t *testing.T) {\n}\n", "TestAdds"],
  ["a part of a go test", "sum_test.go", "func TestAdds(t *testing.T) {\n}\n", "TestAdds/two_numbers"],
  ["cargo", "src/lib.rs", "#[test]\nfn adds() {}\n", "sum::tests::adds"],
  ["JUnit 5", "SumTest.java", "class SumTest {\n  @Test\n  void adds() {}\n}\n", "adds()"],
])("names that %s writes are found in the source", (_runner, path, text, name) => {
  const files = { [path]: text };
  expect(compare({ files, ran: [name] }, { files, ran: [] }).vanished).toHaveLength(1);
  expect(compare({ files: {}, ran: [] }, { files, ran: [name] })).toEqual(NOTHING);
});

test("a title over several lines matches its form in reports", () => {
  const files = { "test/long.test.js": `test("adds\\n two", () => {});\ntest(\`many\n  lines\`, () => {});\n` };
  expect(compare({ files: {}, ran: [] }, { files, ran: ["many lines"] })).toEqual(NOTHING);
});
