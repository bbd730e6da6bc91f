import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOf } from "../gates/covered-lines.ts";
import { coverPlant } from "./cover-plants.ts";

describe("a function that nothing calls", () => {
  test.each([
    ["a.ts", "export const one = 1;\n", /^export function \w+\(\) \{\n {2}return \d{7};\n\}$/],
    ["a.js", "function one() {\n\treturn 1\n}\nmodule.exports = one\n", /^function \w+\(\) \{\n\treturn \d{7}\n\}$/],
    ["a.py", "def one():\n    return 1", /^\ndef [a-z_]+\(\):\n {4}return \d{7}$/],
    ["a.go", "package a\n", /^func \w+\(\) int \{\n\treturn \d{7}\n\}$/],
  ])("in %s looks like the rest, and its line is known", (path, text, looks) => {
    fc.assert(
      fc.property(fc.array(fc.nat(9_000_000), { minLength: 20 }), (numbers) => {
        let at = 0;
        const plant = coverPlant(path, text, (limit) => (numbers[at++ % numbers.length] ?? 0) % limit);
        const added = plant?.text.slice(text.length).trim() ?? "";
        expect(`${path.endsWith(".py") ? "\n" : ""}${added}`).toMatch(looks);
        expect(plant?.text.split("\n")[(plant?.line ?? 0) - 1]).toMatch(/^\s+return \d{7};?$/);
      }),
    );
  });

  test.each([
    ["a.rs", "fn one() {}\n"],
    ["a.d.ts", "export const a: number;\n"],
    ["a.py", ""],
    ["a.js", "/* c8 ignore start */\n"],
    ["a.js", "/* node:coverage disable */\n"],
    ["a.py", "x = 1  # pragma: no cover\n"],
  ])("is not planted in %s: %s", (path, text) => {
    expect(coverPlant(path, text, (limit) => limit - 1)).toBeNull();
  });
});

test.each([
  ["src/a.js", true],
  ["/work/tree/src/a.js", true],
  ["a.js", true],
  ["lib/a.js", false],
  ["src\\a.js", true],
  ["", false],
])("a report that names %o means src/a.js: %s", (name, expected) => {
  expect(linesOf(new Map([[name, new Map([[1, true]])]]), "src/a.js") !== null).toBe(expected);
});
