import { expect, test } from "vitest";
import { declarationProblem } from "./declared-tests.ts";

const FILE = "tests/a.test.ts";
const declared = (...names: (string | null)[]) => names.map((name) => ({ file: FILE, name }));
const reported = (...paths: string[]) => paths.map((path) => ({ test: path.replace("!", "").split("/"), suite: path.startsWith("!") }));

test.each<[string, string[], (string | null)[], string | null]>([
  ["as declared", ["a", "!s", "s/b"], ["a", "b"], null],
  ["declared twice in two suites", ["!s", "s/a", "!t", "t/a"], ["a", "a"], null],
  ["tests within a test", ["a", "a/inner", "a/inner"], ["a"], null],
  ["computed names", ["a", "x 1", "x 2"], ["a", null], null],
  ["a source that could not be read", ["a"], [], null],
  ["one test is missing", ["a"], ["a", "b"], `${FILE} declares "b", and it was not run`],
  ["one missing beside computed names", ["x 1"], ["b", null], `${FILE} declares "b", and it was not run`],
  ["an undeclared test", ["a", "forged"], ["a"], `${FILE} does not declare "forged"`],
  ["one test too often", ["a", "a"], ["a"], `"a" was reported more often than ${FILE} declares it`],
])("%s", (_, results, names, expected) => expect(declarationProblem(FILE, reported(...results), declared(...names))).toBe(expected));
