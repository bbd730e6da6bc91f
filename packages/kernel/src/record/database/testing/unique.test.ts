import { expect, test } from "vitest";
import { isUniqueViolation } from "./unique.ts";

test.each([
  [Object.assign(new Error("UNIQUE constraint failed"), { errcode: 2067 }), true],
  [Object.assign(new Error("PRIMARY KEY constraint failed"), { errcode: 1555 }), true],
  [Object.assign(new Error("FOREIGN KEY constraint failed"), { errcode: 787 }), false],
  [Object.assign(new Error("duplicate key value"), { code: "23505" }), true],
  [Object.assign(new Error("deadlock"), { code: "40P01" }), false],
  [new Error("something else"), false],
  ["text", false],
])("%s", (error, expected) => {
  expect(isUniqueViolation(error)).toBe(expected);
});
