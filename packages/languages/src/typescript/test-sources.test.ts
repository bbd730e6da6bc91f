import { describe, expect, test } from "vitest";
import { parseContract } from "../micro-contracts/parse.ts";
import { nodesIn, parseSource } from "./ast-nodes.ts";
import { claimTest } from "./claim-test.ts";
import { complexityTest } from "./complexity-test.ts";
import { parseExpression } from "./expression.ts";
import { projectTestNames } from "./project-test-names.ts";
import { runnerOf, TEST_RUNNERS } from "./test-runners.ts";
import { openTypeIndex } from "./type-index.ts";
import { unitTest } from "./unit-test.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { compileProblems } from "./testing/projects.ts";
import { acceptedBy, boundsOf } from "./value-bounds.ts";

const PATH = "src/subject.ts";
const contract = (text: string) => parseContract(text, 1, null);

test("the runner of a project is read from its package.json, vitest by default", () => {
  const runner = (manifest: unknown) => runnerOf({ "package.json": JSON.stringify(manifest) });
  expect(runnerOf({})).toBe("vitest");
  expect(runner({ devDependencies: { vitest: "5" } })).toBe("vitest");
  expect(runner({ devDependencies: { jest: "30" } })).toBe("jest");
  expect(runner({ scripts: { test: "node --enable-source-maps --test" } })).toBe("node");
  expect(runner({ scripts: { test: "true" } })).toBe("vitest");
});

test("each runner skips, moves the clock and expects errors in its own words", () => {
  expect(Object.values(TEST_RUNNERS).map(({ skip }) => skip('"a"'))).toEqual([
    'return $context.skip("a");',
    'return $context.skip("a");',
    'throw new Error("a");',
  ]);
  expect(TEST_RUNNERS.jest.clock.advance("5")).toBe("jest.advanceTimersByTime(5);");
  expect(TEST_RUNNERS.node.clock.restore).toBe("mock.timers.reset();");
  expect(TEST_RUNNERS.node.throws("f()")).toContain("assert.rejects");
  expect(TEST_RUNNERS.vitest.imports({ clock: true, expect: true })).toBe('import { expect, test, vi } from "vitest";');
});

describe("parameters of every form are generated, and the test compiles", () => {
  test.each([
    ["destructured", "export function subject({ a }: { a: number }, [b]: [number]): number { return a + b; }"],
    ["with a default", `export function subject(a = 1, b = "x", c = true, d: number = 2): string { return [a, b, c, d].join(); }`],
    ["optional", "export function subject(a?: number, b?: { c?: string }): number { return a ?? b?.c?.length ?? 0; }"],
    ["rest", "export function subject(...all: number[]): number { return all.length; }"],
    ["generic", "export function subject<T>(items: readonly T[], pick: (item: T) => boolean): T[] { return items.filter(pick); }"],
    ["generic with a constraint", "export function subject<T extends string>(items: T[]): number { return items.length; }"],
    ["none", "export function subject(): number { return 1; }"],
    ["of an arrow", "export const subject = async (a: Map<string, number>): Promise<number> => a.size;"],
    ["of a function expression", "export const subject = function (a: Set<string>): number { return a.size; };"],
    ["exported later", "function subject(a: number): number { return a; }\nexport { subject };"],
  ])("%s", (_, code) => {
    const tree = { [PATH]: code };
    const made = unitTest(
      tree,
      PATH,
      "subject",
      contract("ENSURES: result !== null\nINVARIANT: true\nENSURES: result === undefined implies false"),
    );
    expect(made?.tests).toHaveLength(3);
    expect(compileProblems({ ...tree, ...testFiles(made === null ? [] : [made]) })).toEqual([]);
  });

  test("of constructors with parameter properties, and of generic classes", () => {
    const tree = {
      [PATH]:
        "export class Box<T> { constructor(readonly value: T, private readonly tags: string[] = []) {} size(more: T[]): number { return more.length + this.tags.length; } static of(n: number): Box<number> { return new Box(n); } }",
    };
    for (const name of ["Box.constructor", "Box.size", "Box.of"]) {
      const made = unitTest(tree, PATH, name, contract("ENSURES: result !== null"));
      expect(compileProblems({ ...tree, ...testFiles(made === null ? [] : [made]) })).toEqual([]);
    }
    expect(unitTest(tree, PATH, "Box.missing", contract("ENSURES: true"))).toBeNull();
    expect(unitTest({ [PATH]: "export const subject = 1;" }, PATH, "subject", contract("ENSURES: true"))).toBeNull();
    expect(unitTest(tree, PATH, "Box.size", contract("PURITY: pure"))).toBeNull();
  });
});

test("benchmarks call methods and static methods, and claims measure a method of what they set up", () => {
  const tree = {
    [PATH]:
      "export class Box { items: number[]; constructor(items: number[] = []) { this.items = items; } add(more: number[]): number { return more.length; } static all(items: readonly number[]): number { return items.length; } get size(): number { return this.items.length; } }",
  };
  for (const name of ["Box.add", "Box.all"]) {
    const made = complexityTest(tree, PATH, name, contract("REQUIRES: isReady(1)\nREQUIRES: true implies true\nCOMPLEXITY: O(n)"), {
      runner: "node",
    });
    expect(made?.tests).toEqual([`${name} COMPLEXITY: O(n)`]);
    expect(compileProblems({ ...tree, ...testFiles(made === null ? [] : [made]) })).toEqual([]);
  }
  const part = {
    inputs: [],
    setup: [{ name: "box", value: "new Box(Array.from({ length: n }, () => 1))" }],
    operations: [{ call: "box.add(box.items)", when: null, inputs: [] }],
    assert: null,
    clock_steps_ms: [],
    bound: "O(n)",
  };
  const claim = {
    type: "performance",
    subject: "box",
    predicate: "",
    scope: "",
    testable: true,
    requires_mocking: [],
    suggested_generators: [],
    id: "box_1",
    text: "It is fast.",
    test: part,
  } as const;
  const made = claimTest(tree, { ...claim, requires_mocking: [], suggested_generators: [] });
  expect(made.text).toContain("[box.add, [box, box.items]]");
  expect(compileProblems({ ...tree, ...testFiles([made]) })).toEqual([]);
});

describe("bounds", () => {
  const node = (text: string) => {
    const parsed = parseExpression(text);
    if ("problem" in parsed) throw new Error(parsed.problem);
    return parsed.node;
  };
  test.each([
    ["a >= 1 && 5 > a", { a: { min: 1, minExcluded: false, max: 5, maxExcluded: true } }],
    ["!(a < -2 || a > 2)", { a: { min: -2, minExcluded: false, max: 2, maxExcluded: false } }],
    ["a === 3", { a: { min: 3, minExcluded: false, max: 3, maxExcluded: false } }],
    ["a > 1 && a > 3 && a > 2", { a: { min: 3, minExcluded: true } }],
    ["Number.isSafeInteger(a) && (a.b.length >= 2)", { a: { integer: true }, "a.b.length": { min: 2, minExcluded: false } }],
    ["a > 1 || b > 1", {}],
    ["!(a > 1 && b > 1)", {}],
    ["a !== 1 && a > b && a[0] > 1 && f(a) > 1 && !Number.isInteger(a) && g(1)", {}],
    ["!(a !== 1)", {}],
  ])("of %s", (text, expected) => {
    expect(Object.fromEntries(boundsOf([node(text)]))).toEqual(expected);
  });

  test("of what a function accepts, through the checks that it calls", () => {
    const { program } = parseSource(
      `function make(value: string) { if (!isShort(value)) { throw new Error(); } if (value.length < 1) return null; if (other) log(); else stop(); return value; }\nfunction isShort(text: string) { return text.length <= 3 && isShort(text); }\nfunction endless(x: number) { return endless(x); }\nfunction two(x: number) { log(); return x > 1; }`,
    );
    const [make, isShort, endless, two] = nodesIn(program, "body");
    const lookUp = (name: string) => ({ isShort, endless, two })[name] ?? null;
    expect(Object.fromEntries(acceptedBy(make as never, lookUp))).toEqual({
      "value.length": { max: 3, maxExcluded: false, min: 1, minExcluded: false },
    });
    expect(boundsOf([node("endless(a) && two(a)")], lookUp).size).toBe(0);
  });
});

describe("declarations are found", () => {
  test("through imports, renames and re-exports, and not in a circle", () => {
    const index = openTypeIndex({
      "src/a.ts": `import { B as C } from "./b";\nimport D, * as all from "./d.js";\nimport { E } from "outside";\nexport default class Main {}\nexport const { x, y: [z] } = C;`,
      "src/b.ts": `export { Real as B } from "./folder";\nexport * from "./c.ts";\nexport * from "outside";`,
      "src/c.ts": `export * from "./b.ts";\nexport type Last = 1;`,
      "src/folder/index.ts": `interface Real {}\nexport { Real, Real as Other };\nexport declare function later(): void;`,
      "src/d.ts": "export default 1;",
    });
    expect(index.find("src/a.ts", "C")).toMatchObject({ file: "src/folder/index.ts", name: "Real", isExported: true });
    expect(index.find("src/b.ts", "Last")?.file).toBe("src/c.ts");
    expect(index.find("src/b.ts", "missing")).toBeNull();
    expect(index.find("src/none.ts", "C")).toBeNull();
    expect(index.find("src/a.ts", "E")).toBeNull();
    expect(index.find("src/a.ts", "D")).toBeNull();
    expect(index.find("src/a.ts", "Main")?.isExported).toBe(true);
    expect(index.declarations("src/none.ts")).toEqual([]);
    expect(index.declarations("src/folder/index.ts").map(({ name }) => name)).toEqual(["Real", "later"]);
  });
});

test("names of expressions are those that they do not declare", () => {
  const names = (text: string) => {
    const parsed = parseExpression(text);
    return "problem" in parsed ? parsed.problem : parsed.names;
  };
  expect(names("items.map(({ a: [b], ...c }, d = e) => b + c + d + f).g[h]")).toEqual(["items", "e", "f", "h"]);
  expect(names("({ a, b: c, [d]: this.e } as Record<string, X>).a!")).toEqual(["a", "c", "d", "this"]);
  expect(names("(function (x: number) { return x; })(1)")).toBe("it has statements");
  expect(names("((a) => ((b) => a + b + c)(d))(b)")).toEqual(["c", "d", "b"]);
  expect(names("items as unknown satisfies object")).toEqual(["items"]);
  expect(names("await x")).toBe("it changes or waits for something");
  expect(names("a['__proto__']")).toBe("it uses __proto__");
  expect(names("")).toContain("no expression");
});

test("declared tests are read from a file; a file that does not parse declares none", () => {
  expect(
    projectTestNames("a", `test("a", f); it(\`b\${c}\`, f); describe("s", () => { test("d", f); }); test.skip("e"); other("g");`),
  ).toEqual([
    { file: "a", name: "a" },
    { file: "a", name: null },
    { file: "a", name: "d" },
  ]);
  expect(projectTestNames("a", "test(")).toEqual([]);
});
