import assert from "node:assert/strict";
import { test } from "node:test";
import { addLine, totalInCents, type CartLine } from "./cart.ts";

const tea: CartLine = { sku: "tea", quantity: 2, unitCents: 350 };
const jam: CartLine = { sku: "jam", quantity: 1, unitCents: 420 };

test("an empty cart costs nothing", () => {
  assert.equal(totalInCents([]), 0);
});

test("the total is the sum of the lines", () => {
  assert.equal(totalInCents([tea, jam]), 1120);
});

test("the same article twice is one line", () => {
  assert.deepEqual(addLine([tea, jam], { ...tea, quantity: 3 }), [jam, { ...tea, quantity: 5 }]);
});

test("nonsense quantities are refused", () => {
  for (const quantity of [0, -1, 1.5]) assert.throws(() => addLine([], { ...tea, quantity }), RangeError);
});
