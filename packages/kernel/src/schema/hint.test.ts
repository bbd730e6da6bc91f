import fc from "fast-check";
import { expect, test } from "vitest";
import { closest, editDistance } from "./hint.ts";

test.each([
  ["colour", ["color", "size"], "color"],
  ["protcted_areas", ["protected_areas", "exclusive_areas"], "protected_areas"],
  ["Version", ["version"], "version"],
  ["vresion", ["version"], "version"],
  ["sise", ["size", "site"], "size"],
  ["x", ["version", "y"], "y"],
  ["completely_else", ["version", "size"], null],
  ["anything", [], null],
])("%s among %j means %s", (word, candidates, expected) => {
  expect(closest(word, candidates)).toBe(expected);
});

test.each([
  ["", "", 0],
  ["abc", "", 3],
  ["kitten", "sitting", 3],
  ["ab", "ba", 1],
  ["abcd", "acbd", 1],
])("the distance from %j to %j is %i", (a, b, expected) => {
  expect(editDistance(a, b)).toBe(expected);
});

test("the distance is symmetric, zero only for equal words, and at most the longer word", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
