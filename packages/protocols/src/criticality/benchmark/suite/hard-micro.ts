import { micro, type BenchmarkCase } from "./case.ts";

const CSV = micro(
  "csv",
  "one line of CSV",
  String.raw`/**
 * The fields of one line of CSV. Commas separate fields. A field that begins with a double quote ends with the next single one: commas
 * may stand in it, and two double quotes in it mean one. Null if such a field does not end, if anything but a comma follows its end, or
 * if a double quote stands in another field.
 * ENSURES: !line.includes('"') implies result !== null && result.join(",") === line
 * ENSURES: result === null || result.length >= 1
 * PURITY: pure
 */
export function parseCsvLine(line: string): string[] | null {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsvLine } from "../../src/domain/csv.ts";

test("reads plain and empty fields", () => {
  assert.deepEqual(parseCsvLine("a,,c"), ["a", "", "c"]);
  assert.deepEqual(parseCsvLine(""), [""]);
});

test("reads fields in quotes", () => {
  assert.deepEqual(parseCsvLine('"a,b",c'), ["a,b", "c"]);
  assert.deepEqual(parseCsvLine('"say ""hi""",""'), ['say "hi"', ""]);
});

test("refuses broken quotes", () => {
  for (const line of ['"a', '"a"b', 'a"b', '"a" ,b']) assert.equal(parseCsvLine(line), null);
});
`,
);

const DISTANCE = micro(
  "distance",
  "the distance of two words",
  String.raw`/**
 * The least number of letters to insert, delete or replace, one at a time, that makes one word the other.
 * ENSURES: left === right implies result === 0
 * ENSURES: result >= Math.abs(left.length - right.length)
 * ENSURES: result <= Math.max(left.length, right.length)
 * PURITY: pure
 */
export function editDistance(left: string, right: string): number {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { editDistance } from "../../src/domain/distance.ts";

test("counts insertions, deletions and replacements", () => {
  assert.equal(editDistance("kitten", "sitting"), 3);
  assert.equal(editDistance("flaw", "lawn"), 2);
  assert.equal(editDistance("", "abc"), 3);
  assert.equal(editDistance("abcdef", "azced"), 3);
});

test("is the same in both directions", () => {
  assert.equal(editDistance("saturday", "sunday"), editDistance("sunday", "saturday"));
});

test("takes words of some length", () => {
  assert.equal(editDistance("ab".repeat(200), "ba".repeat(200)), 2);
});
`,
);

const ARITHMETIC = micro(
  "arithmetic",
  "arithmetic expressions",
  String.raw`/**
 * The value of an arithmetic expression: whole numbers, + - * / with the usual precedence, from left to right, and parentheses. Spaces
 * may stand between them. There are no signs. Null for any other text, and where something is divided by zero.
 * ENSURES: /^[0-9]{1,9}$/.test(expression) implies result === Number(expression)
 * ENSURES: expression.trim() === "" implies result === null
 * ENSURES: result === null || Number.isFinite(result)
 * PURITY: pure
 */
export function calculate(expression: string): number | null {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { calculate } from "../../src/domain/arithmetic.ts";

test("knows precedence, order and parentheses", () => {
  assert.equal(calculate("2 + 3 * 4"), 14);
  assert.equal(calculate("(2+3)*4"), 20);
  assert.equal(calculate("10 - 4 - 3"), 3);
  assert.equal(calculate("16 / 4 / 2"), 2);
  assert.equal(calculate("2*(3+(4-1))"), 12);
});

test("refuses other texts", () => {
  for (const text of ["", "1 +", "(1", "1)", "1 2", "-1", "2**3", "1.5", "a", "()"]) assert.equal(calculate(text), null);
});

test("does not divide by zero", () => {
  assert.equal(calculate("1 / (2 - 2)"), null);
});
`,
);

/** Its signature is too complex for the worker, so that it begins with the structurer. */
const TOTALS = micro(
  "totals",
  "totals by group, with type parameters",
  String.raw`/**
 * The sum of the amounts of each group, in the order in which groups first appear.
 * ENSURES: items.every((item) => result.has(keyOf(item)))
 * ENSURES: [...result.keys()].every((key) => items.some((item) => keyOf(item) === key))
 * PURITY: pure
 */
export function totalsBy<T, K extends string>(items: readonly T[], keyOf: (item: T) => K, amountOf: (item: T) => number): Map<K, number> {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { totalsBy } from "../../src/domain/totals.ts";

test("adds by group", () => {
  const items = [{ at: "b", n: 2 }, { at: "a", n: 1 }, { at: "b", n: 3 }];
  const totals = totalsBy(items, (item) => item.at, (item) => item.n);
  assert.deepEqual([...totals], [["b", 5], ["a", 1]]);
});

test("has no group without items", () => {
  assert.equal((totalsBy([], () => "a", () => 1)).size, 0);
});
`,
);

export const HARD_CASES: readonly BenchmarkCase[] = [CSV, DISTANCE, ARITHMETIC, TOTALS];
