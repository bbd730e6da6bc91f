import assert from "node:assert/strict";
import { test } from "node:test";
import { BadMinutesError, formatTime } from "../implementation/index.ts";

test("writes a time of day", () => assert.equal(formatTime(570), "09:30"));
test("has two digits each, from midnight to the end of the day", () => {
  assert.equal(formatTime(0), "00:00");
  assert.equal(formatTime(1440), "24:00");
});
test("refuses what is no minute of a day", () => {
  for (const minutes of [-1, 1441, 0.5, Number.NaN]) assert.throws(() => formatTime(minutes), BadMinutesError);
});
