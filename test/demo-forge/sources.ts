export const FRACTION = `const FRACTIONS = new Map([
  [0.25, "1/4"],
  [0.5, "1/2"],
  [0.75, "3/4"],
]);

/** An amount as a text such as 1 1/2. */
export function fraction(amount) {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError("an amount is a number of 0 or more");
  const whole = Math.floor(amount);
  const part = FRACTIONS.get(amount - whole);
  if (part === undefined) return String(amount);
  return whole === 0 ? part : \`\${whole} \${part}\`;
}
`;

export const FRACTION_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { fraction } from "../src/fraction.js";

test("halves and quarters are printed as fractions", () => {
  assert.deepEqual([fraction(1.5), fraction(0.25), fraction(2)], ["1 1/2", "1/4", "2"]);
});

test("an amount below 0 is refused", () => {
  assert.throws(() => fraction(-1), RangeError);
});
`;

/** Keeps only the last amount. */
export const SHOPPING = `/** What has to be bought for all recipes. */
export function shoppingList(recipes) {
  const list = new Map();
  for (const { ingredients } of recipes) for (const one of ingredients) list.set(one.name, one);
  return [...list.values()];
}
`;

/** Joins the amounts as texts. */
export const SHOPPING_AGAIN = `/** What has to be bought for all recipes. */
export function shoppingList(recipes) {
  const list = new Map();
  for (const { ingredients } of recipes) {
    for (const { name, unit, amount } of ingredients) {
      const before = list.get(\`\${name} \${unit}\`)?.amount ?? "";
      list.set(\`\${name} \${unit}\`, { name, unit, amount: \`\${before}\${amount}\` });
    }
  }
  return [...list.values()];
}
`;

export const SHOPPING_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { shoppingList } from "../src/shopping.js";

const cake = (amount) => ({ ingredients: [{ name: "flour", unit: "g", amount }] });

test("equal ingredients are added", () => {
  assert.deepEqual(shoppingList([cake(100), cake(200)]), [{ name: "flour", unit: "g", amount: 300 }]);
});
`;
