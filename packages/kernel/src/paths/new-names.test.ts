import { expect, test } from "vitest";
import { newNameProblem } from "./new-names.ts";

test.each([
  ["a.txt.", /ends with a dot or a blank/],
  ["src /a.txt", /ends with a dot or a blank/],
  ["a.txt\u00a0", /ends with a dot or a blank/],
  ["a.txt:evil", /stream/],
  ["src/what?.md", /does not allow/],
  ["CON", /device/],
  ["src/aux.ts", /device/],
  ["nul.tar.gz", /device/],
  ["Com1", /device/],
  ["lpt\u00b9.txt", /device/],
  ["con .txt", /device/],
  ["a\u3164.txt", /U\+3164, which is invisible/],
  ["a\u2800.txt", /blank/],
])("no new file is called %j", (path, reason) => {
  expect(newNameProblem(path)).toMatch(reason);
});

test.each([
  "Größe.md",
  "日本語.md",
  "מסמך/שלום.txt",
  "می\u200cخواهم.txt",
  "❤\ufe0f.md",
  "資料\u30001.md",
  "Screenshot 3.00.00\u202fPM.png",
  "app/[...slug]/(a)/page.tsx",
  ".gitignore",
  "auxiliary.ts",
  "com10.txt",
  "console.log",
])("%j is a name", (path) => {
  expect(newNameProblem(path)).toBeNull();
});
