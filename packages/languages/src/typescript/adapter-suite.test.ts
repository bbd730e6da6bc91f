import { adapterSuite } from "../testing/adapter-suite.ts";
import { typescriptAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "clamp" };

adapterSuite({
  id: "typescript",
  make: typescriptAdapter,
  path: "src/calc.ts",
  tree: {
    "tsconfig.json": `{ "compilerOptions": { "strict": true } }\n`,
    "src/calc.ts": `export function twice(n: number): number {
  return 2 * n;
}

/**
 * Puts a value between two others. It may use twice.
 *
 * REQUIRES: low <= high
 * ENSURES: low <= result && result <= high
 * ENSURES: low <= value && value <= high implies result === value
 * ENSURES: value > high implies result === high
 * ENSURES: everyone is happy
 * PURITY: pure
 */
export function clamp(value: number, low: number, high: number): number {
  throw new Error("hole");
}
`,
  },
  functions: ["twice", "clamp"],
  target: "clamp",
  right: 'if (low > high) throw new RangeError("low is above high");\nreturn Math.max(low, Math.min(value, high));',
  wrong: 'if (low > high) throw new RangeError("low is above high");\nreturn value > high ? low : Math.max(low, value);',
  careless: "return Math.max(low, Math.min(value, high));",
  mistyped: 'return "text";',
  malformed: "return (1",
  escaping: "return 1; } export function evil(): void {",
  endless: "for (;;) {}",
  exits: "process.exit(0);",
  forges(names) {
    const lines = names.map((name) => JSON.stringify({ test: [name], suite: false, ran: true, passed: true, duration_ms: 1, error: null }));
    return `const here = (() => 0).constructor("return process")();\nObject.is = () => true;\nhere.stdout.write(${JSON.stringify(`${lines.join("\n")}\n`)});\nhere.exitCode = 0;\nreturn -1;`;
  },
  test: {
    path: "tests/calc.test.ts",
    text: `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { clamp } from "../src/calc.ts";\n\ntest("inside", () => assert.equal(clamp(2, 1, 3), 2));\ntest("above", () => assert.equal(clamp(9, 1, 3), 3));\n`,
  },
  branchy: {
    name: "f",
    text: `export function f(a: boolean, b: number[]): number {\n  // a comment\n  if (a) {\n    for (const x of b) {\n      while (x) {\n        if (x && a) {\n          return 1;\n        }\n      }\n    }\n  } else if (b) {\n    return 2;\n  }\n\n  return 3;\n}\n`,
    cyclomatic: 7,
    nesting: 4,
    lines: 12,
  },
  dangerous: { body: "return eval(String(value));", rule: "eval" },
  witness: {
    name: "Positive",
    description: "A number above zero",
    base: { generic: false, type_params: [], inner_type: "number" },
    invariants: [{ id: "above_zero", description: "It is above zero", formal: "value > 0", testable: true }],
    constructors: [
      { name: "new", trust_level: "safe" },
      { name: "trusted", trust_level: "unsafe" },
    ],
  },
  level: "distinction",
  witnessWords: [/unique symbol/, /throw new RangeError/, /positiveTrustedUnchecked/],
  witnessTest: {
    path: "tests/positive.test.ts",
    text: `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { positiveNew } from "../src/witnesses/positive.ts";\n\ntest("positive", () => {\n  assert.equal(positiveNew(3), 3);\n  assert.throws(() => positiveNew(0), RangeError);\n});\n`,
  },
  claims: [
    {
      framework: /fc\./,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /test\(/,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "clamp(5, 0, 3) === 3" },
    },
    {
      framework: /an error because/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: [],
});
