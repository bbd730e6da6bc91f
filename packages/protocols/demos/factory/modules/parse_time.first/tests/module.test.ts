import assert from "node:assert/strict";
import { test } from "node:test";
import { BadTimeError, parseTime } from "../implementation/index.ts";

test("reads a time of day", () => assert.equal(parseTime("09:30"), 570));
test("counts whole minutes since midnight", () => {
  assert.equal(parseTime("00:00"), 0);
  assert.equal(parseTime("23:59"), 1439);
});
test("refuses what is no time", () => {
  for (const text of ["", "noon", "12:60", "24:00", " 09:30"]) assert.throws(() => parseTime(text), BadTimeError, text);
});
