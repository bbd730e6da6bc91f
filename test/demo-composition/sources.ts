/** As in the project. It has the sections that crew asks for, so that only two of the specifications change it. */
export const README = `# Recipe book

Scales recipes and prints them.

## Requirements

Node 24 or later.

## Quickstart

\`import { scale } from "./src/scale.js"\`

## Scripts

- test: \`npm test\`
- build: none, the sources run as they are
- lint: none

## Project Structure

\`src\` has a file for each function, \`test\` its tests.

## Troubleshooting

A recipe that cannot be scaled has no servings.

## License

Private.

## Features

Recipes are scaled to any number of servings.
`;
export const README_WITH_CATALOGUE = `${README}\nA catalogue lists them by name.\n`;
export const README_WITH_FRACTIONS = `${README_WITH_CATALOGUE}\nAmounts are printed as fractions.\n`;

export const CATALOGUE = `/** The names of recipes, sorted. */
export function namesOf(recipes) {
  return recipes.map(({ name }) => name).toSorted();
}
`;

export const CATALOGUE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf } from "../src/catalogue.js";

test("names are sorted", () => {
  assert.deepEqual(namesOf([{ name: "soup" }, { name: "bread" }]), ["bread", "soup"]);
});
`;

export const UNITS = `const SMALL = new Map([
  ["kg", "g"],
  ["l", "ml"],
]);

/** The ingredient with its amount in g or ml where it was in kg or l. */
export function smallUnit(ingredient) {
  const unit = SMALL.get(ingredient.unit);
  return unit === undefined ? ingredient : { ...ingredient, unit, amount: ingredient.amount * 1000 };
}
`;

export const UNITS_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { smallUnit } from "../src/units.js";

test("kilograms and litres become grams and millilitres", () => {
  assert.deepEqual(smallUnit({ name: "flour", unit: "kg", amount: 1.5 }), { name: "flour", unit: "g", amount: 1500 });
  assert.deepEqual(smallUnit({ name: "milk", unit: "l", amount: 2 }), { name: "milk", unit: "ml", amount: 2000 });
});

test("other units stay", () => {
  assert.deepEqual(smallUnit({ name: "salt", unit: "g", amount: 5 }), { name: "salt", unit: "g", amount: 5 });
});
`;

/** A unified diff of new files and of text that is appended to a file. */
export function diffOf(files: readonly { readonly path: string; readonly before: string | null; readonly after: string }[]): string {
  return files
    .map(({ path, before, after }) => {
      const old = before === null ? [] : before.trimEnd().split("\n");
      const now = after.trimEnd().split("\n");
      const head = `diff --git a/${path} b/${path}\n${before === null ? "new file mode 100644\n" : ""}--- ${before === null ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n`;
      const range = `@@ -${before === null ? "0,0" : `1,${old.length}`} +1,${now.length} @@\n`;
      const lines = now.map((line, index) => `${index < old.length ? " " : "+"}${line}\n`);
      return head + range + lines.join("");
    })
    .join("");
}
