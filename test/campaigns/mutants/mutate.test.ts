import { expect, test } from "vitest";
import { brokenLines, sample, sampleLines } from "./mutate.ts";

const broken = (source: string) => brokenLines(source).map(({ is }) => is.trim());

test.each([
  ["const a = b === c;", ["const a = b !== c;"]],
  ["const a = b && c && d;", ["const a = b || c && d;", "const a = b && c || d;"]],
  ["if (isUsed(token)) throw refused(token);", ["if (false) throw refused(token);", "if (isUsed(token)) void refused(token);"]],
  ["if (!isUsed(token)) {}", ["if (isUsed(token)) {}", "if (false) {}"]],
  ["  await consume(tx, token);", [";"]],
  ['const text = "a === b";', []],
  ["import { a } from './a.ts'; // === ", []],
  ["type A = B extends true ? 1 : 2;", []],
  ["let a: true | null;", []],
  ["query.where('status', '=', status).execute();", ["query.execute();"]],
  ["all.some((one) => isOpen(one));", [";", "all.every((one) => isOpen(one));"]],
  [
    "const open = all.filter(({ status }) => status === 1);",
    ["const open = all.filter(({ status }) => status !== 1);", "const open = all.filter(() => true || status === 1);"],
  ],
])("%s is broken as %j", (source, expected) => expect(broken(source)).toEqual(expected));

test("an element of a list, and what is spread into one, are left out", () => {
  const lines = ["const list = [", '  "--unshare-net",', "  ...mounts(),", "];"];
  expect(brokenLines(lines.join("\n")).map(({ text }) => text.split("\n"))).toEqual([lines.with(1, "  "), lines.with(2, "  ")]);
});

test("only lines that still parse are kept, each in its whole source", () => {
  const source = "const a = 1;\nconst b = a === 1;\n";
  expect(brokenLines(source)).toEqual([
    { line: 2, was: "const b = a === 1;", is: "const b = a !== 1;", text: "const a = 1;\nconst b = a !== 1;\n" },
  ]);
});

test("a seed chooses the same lines again, and another seed others", () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(sample(all, 10, 7)).toEqual(sample(all, 10, 7));
  expect(sample(all, 10, 7)).not.toEqual(sample(all, 10, 8));
  expect(new Set(sample(all, 100, 7)).size).toBe(100);
});

test("a line is chosen once, however many ways there are to break it", () => {
  const all = [1, 1, 1, 2].map((line, way) => ({ path: "a.ts", line, way }));
  expect(
    sampleLines(all, 4, 7)
      .map(({ line }) => line)
      .toSorted(),
  ).toEqual([1, 2]);
});
