import { describe, expect, test } from "vitest";
import type { ChangedFile } from "./finding.ts";
import { mutantsOf } from "./mutants.ts";
import { probeFindings } from "./probe-rules.ts";

const added = (after: string, path = "src/a.ts", before: string | null = null): ChangedFile => ({ path, status: "A", before, after });

describe("a line broken on purpose", () => {
  test.each([
    ["if (a === b) c();", "if (a !== b) c();"],
    ["return a < 1 || b;", "return a >= 1 || b;"],
    ["const x = a + b;", "const x = a - b;"],
    ["sum += a;", "sum -= a;"],
    ["const on = true;", "const on = false;"],
    ["const size = 9;", "const size = 10;"],
    ['const name = "a + b";', 'const name = "";'],
    ["return name(a);", "return void name(a);"],
    ["const x = y ?? z; // a + b", "const x = y && z;"],
  ])("%s", (line, broken) => {
    const [mutant] = mutantsOf([added(`${line}\n`)], 3);
    expect(mutant?.text.trim()).toBe(broken);
    expect(mutant).toMatchObject({ path: "src/a.ts", line: 1, what: expect.stringContaining(" → ") });
  });

  test.each([
    ["    if a == 1:", "    if a != 1:"],
    ["    return a and b", "    return a or b"],
    ["    return total(a)", "    return None and total(a)"],
    ["LIMIT = 3  # at most", "LIMIT = 4"],
  ])("Python: %s", (line, broken) => {
    expect(mutantsOf([added(`${line}\n`, "a.py")], 3)[0]?.text.trimEnd()).toBe(broken.trimEnd());
  });

  test.each([
    'import { a } from "b";',
    "export type A = 1;",
    "interface A {",
    "}",
    "",
    "// a + b",
    'throw new Error("a" + 1);',
    "call(name);",
  ])("nothing to break in %j", (line) => {
    expect(mutantsOf([added(`${line}\n`)], 3)).toEqual([]);
  });

  test("only added lines, and only in readable files", () => {
    expect(mutantsOf([added("a = 1;\nb = 2;\n", "a.ts", "a = 1;\n")], 3).map(({ line }) => line)).toEqual([2]);
    expect(mutantsOf([added("a = 1\n", "a.txt"), { path: "a.ts", status: "D", before: "a = 1;", after: null }], 3)).toEqual([]);
  });

  test("spread over all lines if there are more than wanted", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `const x${index} = a + b;`).join("\n");
    expect(mutantsOf([added(lines)], 3).map(({ line }) => line)).toEqual([1, 4, 7]);
    expect(mutantsOf([added(lines)], 0)).toEqual([]);
  });
});

describe("findings of a probe", () => {
  const counts = (passed: number, skipped = 0) => ({ total: passed + skipped, passed, failed: 0, skipped });
  const line = (noticed: boolean) => ({ path: "a.ts", line: 3, what: "a → b", noticed });
  const rules = (...args: Parameters<typeof probeFindings>) => probeFindings(...args).map(({ rule }) => rule);

  test("fewer tests, more skipped tests, no test that notices", () => {
    expect(rules({ mode: "fast", before: counts(3), now: counts(2, 1), tried: [line(false)] }, [])).toEqual([
      "fewer_tests",
      "more_skipped",
      "tests_do_not_notice",
    ]);
  });

  test("none if all is well, nothing was counted, or nothing could be tried", () => {
    expect(rules({ mode: "fast", before: counts(3), now: counts(4), tried: [line(false), line(true)] }, [])).toEqual([]);
    expect(rules({ mode: "fast", before: null, now: counts(1), tried: [] }, [])).toEqual([]);
    expect(rules({ mode: "fast", before: counts(3), now: null, tried: [] }, [])).toEqual([]);
  });

  test("tests that the specification removes are not missing", () => {
    const removed = { rule: "tests_removed", path: "a", message: "", level: "note" } as const;
    expect(rules({ mode: "fast", before: counts(3), now: counts(2), tried: [] }, [removed])).toEqual([]);
  });
});
