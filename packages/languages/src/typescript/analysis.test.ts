import { describe, expect, test } from "vitest";
import { complexityOf } from "./complexity.ts";
import { parseSource } from "./source/parse-source.ts";
import { smellsOf } from "./smells.ts";

const reading = (body: string) => complexityOf(parseSource(`export function f(a: number, b: number[]): unknown {\n${body}\n}`), "f");

describe("[CRI-074] complexity of a function", () => {
  test.each<[string, string, number]>([
    ["nothing", "", 1],
    ["if and else", "if (a) return 1; else return 2;", 2],
    ["&&, || and ??", "return a && b || a ?? b;".replace("a && b || a ?? b", "(a && b) || (b ?? a)"), 4],
    ["logical assignments", "a ||= 1; a &&= 2; a ??= 3;", 4],
    ["a ternary", "return a ? 1 : 2;", 2],
    ["every case but default", "switch (a) { case 1: break; case 2: break; default: }", 3],
    ["catch", "try { a; } catch { b; }", 2],
    ["all loops", "for (;;) {} for (const x of b) {} for (const x in b) {} while (a) {} do {} while (a);", 6],
    ["functions inside", "return b.map((x) => (x ? 1 : 2));", 2],
  ])("counts %s", (_, body, expected) => {
    expect(reading(body).cyclomatic).toBe(expected);
  });

  test("measures nesting; else if is on one level", () => {
    expect(reading("return 1;").nesting).toBe(0);
    expect(reading("if (a) { for (;;) { try { while (a) {} } catch {} } }").nesting).toBe(4);
    expect(reading("if (a) {} else if (b) {} else if (a) { if (b) {} }").nesting).toBe(2);
    expect(reading("b.map((x) => { if (x) { switch (a) { case 1: } } });").nesting).toBe(2);
  });

  test("counts lines without blank lines and comments", () => {
    expect(reading("// one\n\nconst x = 1; // two\n/* three\nfour */ return x;\n  ").lines).toBe(2);
    expect(complexityOf(parseSource("export const f = (a: number) =>\n  a +\n  1;"), "f").lines).toBe(2);
    expect(complexityOf(parseSource("export class A { m() {\nreturn 1;\n} }"), "A.m")).toEqual({ cyclomatic: 1, lines: 1, nesting: 0 });
  });

  test("an unknown function is an error that lists the known ones", () => {
    expect(() => complexityOf(parseSource("export function f() {}"), "g")).toThrow("no function g");
  });
});

const smells = (body: string, rest = "") =>
  smellsOf(
    parseSource(`export function f(a: number, b: number[], s: string | null, o: { x: number } | null): unknown {\n${body}\n}\n${rest}`),
    "f",
  );
const ids = (body: string, rest = "") => smells(body, rest).map(({ id }) => id);
const REPEATED = "const first = b[0];\nconsole.log(first);\nb.push(first + a);";

describe("[CRI-074] each smell of the catalog is detected", () => {
  test.each<[string, string, string?]>([
    ["deep-nesting", "if (a) { if (b) { if (s) { if (o) { a++; } } } }"],
    ["high-cyclomatic-complexity", `return ${Array.from({ length: 11 }, () => "a").join(" && ")};`],
    ["long-function-body", "a++;\n".repeat(51)],
    ["repeated-code-blocks", REPEATED, `function g(a: number, b: number[]) {\n${REPEATED.replaceAll("\n", "\n\n")}\n}`],
    ["magic-values", "return a * 86400;"],
    ["magic-values", `return s === "open" || s + "open" || f2("open");`],
    [
      "missing-type-abstraction",
      "const p: { x: number; y: number } = { x: a, y: a }; return p;",
      "export function g(p: { x: number; y: number }) { return p; }",
    ],
    ["imperative-loop", "const all = []; for (const x of b) { if (x) all.push(x); } return all;"],
    ["imperative-loop", "let sum = 0; for (let i = 0; i < b.length; i++) { sum += b[i]; } return sum;"],
    ["manual-resource-management", "const file = open(s); try { return file.read(); } finally { file.close(); }"],
    ["verbose-null-handling", "return s !== null ? s : 'none';"],
    ["verbose-null-handling", "return o === null ? undefined : o.x;"],
    ["verbose-null-handling", "return o && o.x;"],
    ["verbose-null-handling", "return s === null || s === undefined;"],
    ["unused-binding", "const unused = a; return b;"],
    ["unused-binding", "let last = 1; last = a; return b;"],
    ["unreachable-code", "return a; console.log(b);"],
    ["unreachable-code", "if (a) { return 1; } else { throw new Error(); } return 2;"],
    ["unreachable-code", "if (false) { a++; } return a;"],
    ["redundant-conversions", "return String(`${a}`);"],
    ["redundant-conversions", "return !!(a > 1);"],
    ["redundant-conversions", "return 'x'.toString();"],
    ["redundant-conversions", "return s.trim().trim();"],
    ["over-documentation", "// one\n// two\n// three\n// four\nreturn a;"],
  ])("%s: %s", (id, body, rest) => {
    expect(ids(body, rest)).toContain(id);
  });

  test("with the line, the measured value and a function without smells has none", () => {
    expect(smells("\n\nreturn a * 86400 + 3600;")).toEqual([
      { id: "magic-values", function: "f", line: 4, measured: null, detail: "86400 has no name (and 1 more)" },
    ]);
  });
});

test("[CRI-080] deep nesting is detected above depth 3", () => {
  expect(ids("if (a) { if (b) { if (s) { a++; } } }")).not.toContain("deep-nesting");
  expect(smells("if (a) { if (b) { if (s) { while (o) { a++; } } } }")).toMatchObject([{ id: "deep-nesting", measured: 4 }]);
});

const ORDINARY = [
  `const total = b.reduce((sum, one) => sum + one, 0);\n  if (total > a) throw new RangeError("too much");\n  return total;`,
  `const sorted = [...b].sort((x, y) => x - y);\n  const middle = Math.floor(sorted.length / 2);\n  return sorted.length % 2 === 0 ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle];`,
  `for (const one of b) {\n    const found = lookUp(one);\n    if (found !== null) return found;\n  }\n  return null;`,
  `// The list is sorted, so the search can halve it.\n  let [low, high] = [0, b.length - 1];\n  while (low <= high) {\n    const middle = (low + high) >> 1;\n    if (b[middle] === a) return middle;\n    if (b[middle] < a) low = middle + 1;\n    else high = middle - 1;\n  }\n  return null;`,
  `using file = open(s ?? "default");\n  const { x: first, ...others } = o ?? { x: a };\n  return { first, others, text: file.read() };`,
  `switch (a) {\n    case 1:\n      return "one";\n    default:\n      return String(a);\n  }`,
];

test.each(ORDINARY)("ordinary code has no smells: %s", (body) => {
  expect(smells(body)).toEqual([]);
});
