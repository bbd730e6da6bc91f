import { micro, type BenchmarkCase } from "./case.ts";

const CLAMP = micro(
  "clamp",
  "a number within two limits",
  String.raw`/**
 * The number nearest to value that is not below low and not above high.
 * REQUIRES: low <= high
 * ENSURES: result >= low && result <= high
 * ENSURES: value >= low && value <= high implies result === value
 * PURITY: pure
 */
export function clamp(value: number, low: number, high: number): number {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp } from "../../src/domain/clamp.ts";

test("keeps, raises and lowers", () => {
  assert.equal(clamp(2, 1, 3), 2);
  assert.equal(clamp(-7, 1, 3), 1);
  assert.equal(clamp(9, 1, 3), 3);
  assert.equal(clamp(9, 4, 4), 4);
});
`,
);

const ROMAN = micro(
  "roman",
  "Roman numerals",
  String.raw`/**
 * Writes a number as a Roman numeral in its usual, shortest form: 4 is IV, 1994 is MCMXCIV.
 * REQUIRES: Number.isInteger(value) && value >= 1 && value <= 3999
 * ENSURES: /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(result)
 * PURITY: pure
 */
export function toRoman(value: number): string {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { toRoman } from "../../src/domain/roman.ts";

const DIGITS: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

function valueOf(numeral: string): number {
  const digits = [...numeral].map((digit) => DIGITS[digit] ?? 0);
  return digits.reduce((sum, digit, at) => (digit < (digits[at + 1] ?? 0) ? sum - digit : sum + digit), 0);
}

test("writes known years", () => {
  assert.equal(toRoman(4), "IV");
  assert.equal(toRoman(1994), "MCMXCIV");
  assert.equal(toRoman(3999), "MMMCMXCIX");
});

test("can be read again", () => {
  for (let value = 1; value <= 3999; value += 37) assert.equal(valueOf(toRoman(value)), value);
});
`,
);

const SLUG = micro(
  "slug",
  "a title as part of an address",
  String.raw`/**
 * A title as part of an address: small letters and digits, with one hyphen for everything between them. A letter with an accent loses
 * its accent. Nothing stands before the first or after the last word.
 * ENSURES: /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/.test(result)
 * ENSURES: /^[a-z0-9]+$/.test(title) implies result === title
 * PURITY: pure
 */
export function slugOf(title: string): string {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { slugOf } from "../../src/domain/slug.ts";

test("joins words", () => {
  assert.equal(slugOf("Hello, World!"), "hello-world");
  assert.equal(slugOf("  a -- b  "), "a-b");
  assert.equal(slugOf("Part 2"), "part-2");
});

test("drops accents", () => {
  assert.equal(slugOf("Crème brûlée"), "creme-brulee");
});

test("may be empty", () => {
  assert.equal(slugOf("!?"), "");
});
`,
);

const INTERVALS = micro(
  "intervals",
  "intervals that are joined",
  String.raw`/** From start to end, both included. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/**
 * Joins intervals that overlap or touch, and sorts them by their start. Intervals that touch share one number.
 * REQUIRES: intervals.every((one) => one.start <= one.end)
 * ENSURES: result.length <= intervals.length
 * ENSURES: result.every((one, at) => at === 0 || (result[at - 1]?.end ?? one.start) < one.start)
 * ENSURES: intervals.every((one) => result.some((joined) => joined.start <= one.start && one.end <= joined.end))
 * PURITY: pure
 */
export function joinIntervals(intervals: readonly Interval[]): Interval[] {
  throw new Error("hole");
}
`,
  String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { joinIntervals } from "../../src/domain/intervals.ts";

test("joins what overlaps or touches", () => {
  const joined = joinIntervals([{ start: 5, end: 7 }, { start: 1, end: 3 }, { start: 3, end: 4 }, { start: 6, end: 9 }]);
  assert.deepEqual(joined, [{ start: 1, end: 4 }, { start: 5, end: 9 }]);
});

test("joins an interval inside another", () => {
  assert.deepEqual(joinIntervals([{ start: 1, end: 9 }, { start: 2, end: 3 }]), [{ start: 1, end: 9 }]);
});

test("leaves what it was given unchanged", () => {
  const given = [{ start: 2, end: 3 }, { start: 1, end: 2 }];
  joinIntervals(given);
  assert.deepEqual(given, [{ start: 2, end: 3 }, { start: 1, end: 2 }]);
});
`,
);

export const SIMPLE_CASES: readonly BenchmarkCase[] = [CLAMP, ROMAN, SLUG, INTERVALS];
