import assert from "node:assert/strict";
import { test } from "node:test";
import { BadQuestionError, nextOpening } from "../implementation/index.ts";

const HOURS = "Mo-Fr 09:00-17:00; Sa 10:00-14:00";

test("finds the next opening of the week", () => assert.deepEqual(nextOpening(HOURS, 4, "18:00"), { day: 5, time: "10:00" }));
test("the given minute counts when it is open then", () => {
  assert.deepEqual(nextOpening(HOURS, 0, "12:30"), { day: 0, time: "12:30" });
  assert.deepEqual(nextOpening(HOURS, 0, "17:00"), { day: 1, time: "09:00" });
});
test("goes over the end of the week", () => {
  assert.deepEqual(nextOpening(HOURS, 6, "23:59"), { day: 0, time: "09:00" });
  assert.deepEqual(nextOpening("We 09:00-10:00", 2, "10:00"), { day: 2, time: "09:00" });
});
test("null when it is never open", () => assert.equal(nextOpening("", 0, "12:00"), null));
test("refuses a day or a time that there is not", () => {
  for (const day of [-1, 7, 0.5]) assert.throws(() => nextOpening(HOURS, day, "12:00"), BadQuestionError);
  assert.throws(() => nextOpening(HOURS, 0, "24:00"), BadQuestionError);
});
test("refuses hours that cannot be read", () => assert.throws(() => nextOpening("always", 0, "12:00"), BadQuestionError));
