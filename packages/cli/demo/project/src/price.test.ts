import assert from "node:assert/strict";
import { test } from "node:test";
import { priceInCents } from "./price.ts";

test("every begun kilogram is charged", () => {
  assert.equal(priceInCents({ weightGrams: 1, express: false }), 510);
  assert.equal(priceInCents({ weightGrams: 1000, express: false }), 510);
  assert.equal(priceInCents({ weightGrams: 1001, express: false }), 630);
});

test("express costs five euros more", () => {
  assert.equal(priceInCents({ weightGrams: 500, express: true }), 1010);
});

test("nonsense weights are refused", () => {
  assert.throws(() => priceInCents({ weightGrams: 0, express: false }), RangeError);
  assert.throws(() => priceInCents({ weightGrams: 1.5, express: false }), RangeError);
});
