import assert from "node:assert/strict";
import { test } from "node:test";
import { BadHoursError, parseHours } from "../implementation/index.ts";

test("reads rules of days and times", () => {
  assert.deepEqual(parseHours("Mo-Tu 09:00-17:00; Sa 10:00-14:00"), [
    { day: 0, from: 540, to: 1020 },
    { day: 1, from: 540, to: 1020 },
    { day: 5, from: 600, to: 840 },
  ]);
});
test("a day may last until 24:00", () => assert.deepEqual(parseHours("Fr 18:00-24:00"), [{ day: 4, from: 1080, to: 1440 }]));
test("joins rules that overlap, and gives them in order", () => {
  assert.deepEqual(parseHours("We 12:00-15:00; Mo 09:00-10:00; We 14:00-18:00"), [
    { day: 0, from: 540, to: 600 },
    { day: 2, from: 720, to: 1080 },
  ]);
});
test("no rule is never open", () => assert.deepEqual(parseHours(""), []));
test("refuses a rule that cannot be read, and says which", () => {
  for (const rule of ["Mo", "Mo 9-17", "Xx 09:00-17:00", "Mo 17:00-09:00", "Mo 24:00-24:00", "Mo 09:00-17:00 daily"]) {
    assert.throws(() => parseHours(`Tu 09:00-17:00; ${rule}`), { name: "BadHoursError", message: new RegExp(`^"${rule}"`) });
  }
  assert.throws(() => parseHours("always"), BadHoursError);
});
