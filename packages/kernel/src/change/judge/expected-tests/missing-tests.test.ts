import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { missingTests } from "./missing-tests.ts";

const FILES = [
  { path: "tests/a.test.ts", titles: ["adds", "never\n negative"] },
  { path: "tests/b.test.ts", titles: ["adds"] },
];
const SOURCE = 'test("adds", ($context) => $context.skip("no input breaks this precondition"));';

function missing(ran: Readonly<Record<string, number>>, skips: Readonly<Record<string, string>> = {}, text = SOURCE): string[] {
  const reported = { ran: new Map(Object.entries(ran)), skips: new Map(Object.entries(skips)) };
  return missingTests({ files: FILES }, reported, () => text).map(({ path, titles, of }) => `${path}: ${titles.length} of ${of}`);
}

const ALL = ["tests/a.test.ts: 2 of 2", "tests/b.test.ts: 1 of 1"];

test("without a report every test is missing", () => {
  expect(missingTests({ files: FILES }, null, () => "").map(({ path }) => path)).toEqual(["tests/a.test.ts", "tests/b.test.ts"]);
});

test("a report of other tests runs none of them", () => expect(missing({ "adds nothing": 4, other: 1 })).toEqual(ALL));

test.each(["sums > adds", "tests.a adds", "adds[1-2]", "adds()"])("a runner may add to the title: %s", (name) => {
  expect(missing({ [name]: 2, "never negative": 1 })).toEqual([]);
});

test("quotes that Node escapes twice are the same", () => {
  const files = [{ path: "a", titles: ['says "no"'] }];
  expect(missingTests({ files }, { ran: new Map([["says &quot;no&quot;", 1]]), skips: new Map() }, () => "")).toEqual([]);
});

test("a title of two files has to run twice", () => {
  expect(missing({ adds: 1, "never negative": 1 })).toEqual(["tests/a.test.ts: 1 of 2", "tests/b.test.ts: 1 of 1"]);
});

describe("a skipped test", () => {
  const ran = { adds: 2 };
  test("counts if its file has the reason", () => {
    expect(missing(ran, { "never negative": "no input breaks this precondition: 7 tried" })).toEqual([]);
  });
  test("does not count if a filter of the runner skipped it", () => {
    expect(missing(ran, { "never negative": "test name does not match pattern" })).toEqual(["tests/a.test.ts: 1 of 2"]);
  });
  test("without a reason counts if its file skips at run time and another test of it ran", () => {
    expect(missing(ran, { "never negative": "" })).toEqual([]);
    expect(missing(ran, { "never negative": "" }, "test('x')")).toEqual(["tests/a.test.ts: 1 of 2"]);
    expect(missing({}, { "never negative": "", adds: "" })).toEqual(ALL);
  });
});

test("nothing is missing from a report of every title, and a title that is left out is", () => {
  const title = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/);
  const files = fc.array(fc.record({ path: fc.constant("t"), titles: fc.uniqueArray(title, { minLength: 1, maxLength: 5 }) }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(files, fc.nat(), (expected, at) => {
      const all = expected.flatMap(({ titles }) => titles);
      const count = (names: readonly string[]) => new Map(names.map((name) => [name, names.filter((one) => one === name).length]));
      const reported = (names: readonly string[]) => ({ ran: count(names), skips: new Map<string, string>() });
      expect(missingTests({ files: expected }, reported(all), () => "")).toEqual([]);
      if (all.length === 0) return;
      const left = at % all.length;
      const without = missingTests({ files: expected }, reported(all.toSpliced(left, 1)), () => "");
      expect(without.flatMap(({ titles }) => titles)).toContain(all[left]);
    }),
  );
});
