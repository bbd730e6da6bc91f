import { expect, test } from "vitest";
import { secretsInDiff } from "./secrets.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;
const part = (path: string, ...lines: readonly string[]) =>
  [
    `diff --git a/${path} b/${path}`,
    "index 0000000..1111111 100644",
    `--- a/${path}`,
    `+++ b/${path}`,
    "@@ -1,2 +1,2 @@",
    ...lines,
    "",
  ].join("\n");

test.each([
  ["an added line", [`+const key = "${TOKEN}";`]],
  ["an added line that looks like the head of a file", [`+++ ${TOKEN}`]],
  ["an added line after one that looks like the head of another file", ["-- x", "+++ b/src/other.ts", `+${TOKEN}`]],
])("a key or token is found in %s, by its file", (_what, lines) => {
  expect(secretsInDiff(part("src/harmless.ts", "+one") + part("src/a.ts", ...lines))).toEqual(["src/a.ts"]);
});

test("a token that a patch removes, or that stands in the name of a file, is not one that it writes", () => {
  expect(secretsInDiff(part("src/a.ts", `-const key = "${TOKEN}";`, ` ${TOKEN}`) + part(`src/${TOKEN}.ts`, "+one"))).toEqual([]);
});
