import assert from "node:assert/strict";
import { test } from "node:test";
import { scale } from "../src/scale.js";

const SOUP = { name: "soup", servings: 2, ingredients: [{ name: "carrot", unit: "g", amount: 300 }] };

test("amounts grow with the servings", () => {
  assert.equal(scale(SOUP, 4).ingredients[0].amount, 600);
});

test("no servings are refused", () => {
  assert.throws(() => scale(SOUP, 0), RangeError);
});
