import assert from "node:assert/strict";
import { test } from "node:test";
import { BadTimeError, parseTime } from "../implementation/index.ts";

test("reads a time of day", () => assert.equal(parseTime("09:30"), 570));
test("counts whole minutes since midnight", () => {
  assert.equal(parseTime("00:00"), 0);
  assert.equal(parseTime("23:59"), 1439);
});
test("wants two digits each", () => {
  for (const text of ["9:30", "9:5", "09:5", "009:30"]) assert.throws(() => parseTime(text), BadTimeError, text);
});
test("refuses what is no time", () => {
  for (const text of ["", "noon", "12:60", " 09:30"]) assert.throws(() => parseTime(text), BadTimeError, text);
});
test("takes 24:00 only where the end of a day is asked for", () => {
  assert.equal(parseTime("24:00", true), 1440);
  assert.throws(() => parseTime("24:00"), BadTimeError);
  assert.throws(() => parseTime("24:01", true), BadTimeError);
});
