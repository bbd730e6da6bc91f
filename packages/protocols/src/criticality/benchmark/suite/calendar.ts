import type { BenchmarkCase } from "./case.ts";

export const CALENDAR: BenchmarkCase = {
  id: "module/calendar",
  level: "module",
  title: "days of the Gregorian calendar",
  files: {
    "src/domain/calendar.ts": String.raw`/** A day of the Gregorian calendar; January is 1. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * REQUIRES: Number.isInteger(year)
 * ENSURES: year % 4 !== 0 implies result === false
 * ENSURES: year % 400 === 0 implies result === true
 * PURITY: pure
 */
export function isLeapYear(year: number): boolean {
  throw new Error("hole");
}

/**
 * REQUIRES: Number.isInteger(year)
 * REQUIRES: Number.isInteger(month) && month >= 1 && month <= 12
 * ENSURES: month !== 2 implies result === 30 || result === 31
 * ENSURES: month === 2 implies result === (isLeapYear(year) ? 29 : 28)
 * PURITY: pure
 */
export function daysInMonth(year: number, month: number): number {
  throw new Error("hole");
}

/**
 * Whether it is a day of a year from 1 to 9999. All three parts are whole numbers.
 * ENSURES: date.year < 1 || date.year > 9999 implies result === false
 * ENSURES: result === true implies date.day >= 1 && date.day <= daysInMonth(date.year, date.month)
 * PURITY: pure
 */
export function isDate(date: CalendarDate): boolean {
  throw new Error("hole");
}

/**
 * Days since 1970-01-01, which is 0.
 * REQUIRES: isDate(date)
 * ENSURES: Number.isInteger(result)
 * PURITY: pure
 */
export function dayNumber(date: CalendarDate): number {
  throw new Error("hole");
}

/**
 * The reverse of dayNumber.
 * REQUIRES: Number.isInteger(days) && days >= -719162 && days <= 2932896
 * ENSURES: isDate(result)
 * ENSURES: dayNumber(result) === days
 * PURITY: pure
 */
export function dateOfNumber(days: number): CalendarDate {
  throw new Error("hole");
}

/**
 * The date so many days later, or earlier if days is negative. Null if that is not in a year from 1 to 9999.
 * REQUIRES: isDate(date)
 * REQUIRES: Number.isInteger(days)
 * ENSURES: result === null || dayNumber(result) === dayNumber(date) + days
 * ENSURES: days === 0 implies result !== null
 * PURITY: pure
 */
export function addDays(date: CalendarDate, days: number): CalendarDate | null {
  throw new Error("hole");
}

/**
 * From 1 for Monday to 7 for Sunday.
 * REQUIRES: isDate(date)
 * ENSURES: Number.isInteger(result) && result >= 1 && result <= 7
 * PURITY: pure
 */
export function weekdayOf(date: CalendarDate): number {
  throw new Error("hole");
}
`,
  },
  calls: {
    "src/domain/calendar.ts#daysInMonth": ["src/domain/calendar.ts#isLeapYear"],
    "src/domain/calendar.ts#isDate": ["src/domain/calendar.ts#daysInMonth"],
    "src/domain/calendar.ts#dayNumber": ["src/domain/calendar.ts#isDate", "src/domain/calendar.ts#isLeapYear"],
    "src/domain/calendar.ts#dateOfNumber": ["src/domain/calendar.ts#daysInMonth", "src/domain/calendar.ts#isLeapYear"],
    "src/domain/calendar.ts#addDays": ["src/domain/calendar.ts#dayNumber", "src/domain/calendar.ts#dateOfNumber"],
    "src/domain/calendar.ts#weekdayOf": ["src/domain/calendar.ts#dayNumber"],
  },
  hidden: String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dateOfNumber, dayNumber, daysInMonth, isDate, isLeapYear, weekdayOf } from "../../src/domain/calendar.ts";

test("knows leap years", () => {
  assert.deepEqual([1900, 2000, 2023, 2024].map((year) => isLeapYear(year)), [false, true, false, true]);
  assert.equal(daysInMonth(2023, 4), 30);
});

test("knows dates", () => {
  assert.equal(isDate({ year: 2024, month: 2, day: 29 }), true);
  assert.equal(isDate({ year: 2023, month: 2, day: 29 }), false);
  assert.equal(isDate({ year: 2023, month: 13, day: 1 }), false);
  assert.equal(isDate({ year: 2023, month: 1, day: 1.5 }), false);
});

test("counts days as the clock does", () => {
  for (const [year, month, day] of [[1970, 1, 1], [1969, 12, 31], [2000, 2, 29], [1600, 3, 1], [2026, 11, 18]] as const) {
    assert.equal(dayNumber({ year, month, day }), Date.UTC(year, month - 1, day) / 86_400_000);
    assert.deepEqual(dateOfNumber(Date.UTC(year, month - 1, day) / 86_400_000), { year, month, day });
  }
});

test("adds days over months and years", () => {
  assert.deepEqual(addDays({ year: 2023, month: 12, day: 31 }, 60), { year: 2024, month: 2, day: 29 });
  assert.deepEqual(addDays({ year: 2024, month: 3, day: 1 }, -1), { year: 2024, month: 2, day: 29 });
  assert.equal(addDays({ year: 9999, month: 12, day: 31 }, 1), null);
});

test("knows days of the week", () => {
  assert.equal(weekdayOf({ year: 2026, month: 11, day: 18 }), 3);
  assert.equal(weekdayOf({ year: 1969, month: 12, day: 28 }), 7);
});
`,
};
