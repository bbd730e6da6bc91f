import assert from "node:assert/strict";
import { test } from "node:test";
import { BadQuestionError, isOpen } from "../implementation/index.ts";

const HOURS = "Mo-Fr 09:00-17:00; Sa 22:00-24:00";

test("open within a span, closed outside of all", () => {
  assert.equal(isOpen(HOURS, 0, "12:00"), true);
  assert.equal(isOpen(HOURS, 0, "08:59"), false);
  assert.equal(isOpen(HOURS, 6, "12:00"), false);
});
test("open at the opening time", () => assert.equal(isOpen(HOURS, 4, "09:00"), true));
test("closed at the closing time", () => assert.equal(isOpen(HOURS, 4, "17:00"), false));
test("open in the last minute before the closing time", () => {
  assert.equal(isOpen(HOURS, 4, "16:59"), true);
  assert.equal(isOpen(HOURS, 5, "23:59"), true);
});
test("refuses a day or a time that there is not", () => {
  for (const day of [-1, 7, 0.5]) assert.throws(() => isOpen(HOURS, day, "12:00"), BadQuestionError);
  assert.throws(() => isOpen(HOURS, 0, "noon"), BadQuestionError);
});
test("refuses hours that cannot be read", () => assert.throws(() => isOpen("always", 0, "12:00"), BadQuestionError));
