import assert from "node:assert/strict";
import { test } from "node:test";
import { BadDayError, parseDays } from "../implementation/index.ts";

test("reads a range of days", () => assert.deepEqual(parseDays("Mo-Fr"), [0, 1, 2, 3, 4]));
test("reads every day by its two letters", () => {
  const days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].flatMap((name) => parseDays(name));
  assert.deepEqual(days, [0, 1, 2, 3, 4, 5, 6]);
});
test("refuses what is no day", () => {
  for (const text of ["", "mo", "Monday", "Mo-", "Mo-Xx", "Mo-We-Fr"]) assert.throws(() => parseDays(text), BadDayError, text);
});
