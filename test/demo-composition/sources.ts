export const README = "# Recipe book\n\nScales recipes and prints them.\n";
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
