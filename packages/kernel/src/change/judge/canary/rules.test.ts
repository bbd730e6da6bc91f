import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { declaredTitles } from "../test-integrity/declared-titles.ts";
import { isDocument } from "./documents.ts";
import { frameworkOf, TEST_FRAMEWORKS } from "./frameworks.ts";
import { loadedBy } from "./js-test.ts";
import { judgePlant, verdictOf, type Shown } from "./judge-plants.ts";
import { canFailAtLoad, loadPlant } from "./load-plants.ts";
import { pathBeside } from "./names.ts";
import { chooseNeighbours, type KnownTest } from "./neighbours.ts";
import { planTests } from "./plan-plants.ts";
import type { LoadPlant, TestPlant } from "./plant.ts";
import { importsOf } from "./reach.ts";

const SAMPLES: Readonly<Record<string, string>> = {
  "test/price.test.ts": 'import { test } from "node:test";\nimport { a } from "../src/a.ts";\ntest("adds", () => {});\n',
  "src/Button.spec.tsx": 'import { expect, it } from "vitest";\nit("shows a label", () => expect(1).toBe(1));\n',
  "spec/user_spec.js": 'const { expect } = require("chai");\ndescribe("user", () => { it("has a name", () => expect(1).to.equal(1)); });\n',
  "test/ava.js": 'import test from "ava";\ntest("is", (t) => t.is(1, 1));\n',
  "tests/test_ledger.py": "import ledger\n\n\ndef test_total():\n    assert ledger.total([]) == 0\n",
  "checks/check_drawer.py": "import unittest\n\n\nclass DrawerCheck(unittest.TestCase):\n    def test_fits(self):\n        pass\n",
  "sums/sum_test.go": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {}\n',
  "tests/sums.rs": "#[test]\nfn adds() {}\n",
  "src/lib.rs": "pub fn one() -> i32 {\n    1\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {}\n}\n",
  "src/test/java/PriceTest.java": "import org.junit.jupiter.api.Test;\nclass PriceTest {\n    @Test\n    void adds() {}\n}\n",
};

const randomFrom = (numbers: readonly number[]) => {
  let at = 0;
  return (limit: number) => (numbers[at++ % numbers.length] ?? 0) % limit;
};
const numbers = fc.array(fc.nat(10_000), { minLength: 40, maxLength: 60 });

describe("a planted test", () => {
  test.each(Object.entries(SAMPLES))("beside %s: the same folder and framework, a new title, and no token in the text", (near, text) => {
    const framework = frameworkOf(near, text);
    expect(framework).not.toBeNull();
    const known: KnownTest = { path: near, text, framework: framework ?? "", direct: [], indirect: [] };
    fc.assert(
      fc.property(numbers, (some) => {
        const paths = new Set(Object.keys(SAMPLES));
        const [plant] = planTests({ tests: [known], changed: [], paths, worktree: "/work/tree", reported: null }, randomFrom(some));
        expect(plant?.path.split("/").slice(0, -1)).toEqual(near.split("/").slice(0, -1));
        expect(plant?.path === near).toBe(near === "src/lib.rs");
        expect(frameworkOf(plant?.path ?? "", plant?.text ?? "")).toBe(framework);
        expect(plant?.text).not.toContain(plant?.token);
        expect(`${plant?.path} ${plant?.title}`).not.toMatch(/canary|slipway|plant/i);
        const declared = declaredTitles(plant?.path ?? "", plant?.text ?? "");
        expect(declared?.certain).toContain(plant?.title);
        expect(declaredTitles(near, text)?.certain).not.toContain(plant?.title);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ["test/price.test.ts", "test/net-total.test.ts"],
    ["src/priceTotal.spec.js", "src/net-total.spec.js"],
    ["test/price_total.js", "test/net_total.js"],
    ["test_a.py", "test_net_total.py"],
    ["a_test.py", "net_total_test.py"],
    ["app/tests.py", "app/test_net_total.py"],
    ["checks/check_a.py", "checks/check_net_total.py"],
    ["PriceTest.java", "NetTotalTest.java"],
    ["TestPrice.java", "TestNetTotal.java"],
    ["a_test.go", "net_total_test.go"],
  ])("beside %s is called %s", (near, path) => {
    expect(pathBeside(near, ["net", "total"])).toBe(path);
  });

  test("loads what its neighbour loads: not the framework, no types, no data", () => {
    const text = `import assert from "node:assert";
import { test } from "node:test";
import type { Price } from "../src/types.ts";
import {
  total,
  round,
} from "../src/price.ts";
import "./set-up.js";
import data from "./data.json" with { type: "json" };
// import "./gone.js";
const { clock } = require("../src/clock");
const db = await import("../src/db.mjs");
`;
    expect(loadedBy(text)).toEqual(["../src/price.ts", "./set-up.js", "../src/clock", "../src/db.mjs"]);
  });
});

test("neighbours that load changed files come first, one for each framework and folder", () => {
  const known = (path: string, direct: string[], framework = "vitest"): KnownTest => ({ path, text: "", framework, direct, indirect: [] });
  const tests = [
    known("a/far.test.ts", []),
    known("b/one.test.ts", ["src/x.ts"]),
    known("b/two.test.ts", ["src/x.ts"]),
    known("c/t.py", ["src/x.ts"], "pytest"),
  ];
  expect(chooseNeighbours(tests, ["src/x.ts"], null).map(({ path }) => path)).toEqual(["b/one.test.ts", "c/t.py"]);
});

test.each([
  ["test/a.test.ts", 'import { a } from "../src/a.js";', ["src/a.ts"]],
  ["test/b.js", 'const b = require("../src");', ["src/index.js"]],
  ["tests/test_x.py", "from pack.mod import x\nimport other", ["lib/pack/mod.py", "other.py"]],
])("imports of %s", (path, text, found) => {
  const paths = ["src/a.ts", "src/index.js", "lib/pack/mod.py", "other.py"];
  expect(importsOf(path, text, (one) => paths.includes(one), paths)).toEqual(found);
});

describe("the judgement of a planted failure", () => {
  const plant: TestPlant = {
    kind: "test",
    path: "test/new.test.js",
    text: "",
    near: "test/old.test.js",
    framework: "vitest",
    title: "net total",
    token: "left-right",
    reported: false,
    trace: "test/new.log",
  };
  const load: LoadPlant = { kind: "load", path: "src/a.js", text: "", token: "left-right" };
  const near = new Map([["test/old.test.js", new Set(["adds"])]]);
  const shown = (more: Partial<Shown> = {}): Shown => ({
    steps: [],
    ran: new Set(),
    failed: new Set(),
    loaded: new Set(),
    covered: new Map(),
    ...more,
  });
  const step = (failed: boolean, log: string) => ({ name: "test", failed, log });
  const fate = (one: Shown) => judgePlant(plant, one, near).fate;

  test.each<[string, string, Partial<Shown>]>([
    ["red", "the report has it as failed", { ran: new Set(["suite > net total"]), failed: new Set(["suite > net total"]) }],
    ["green", "the report says that it passed", { ran: new Set(["net total"]), steps: [step(true, "left-right")] }],
    ["red", "only the log of a failed step shows it", { steps: [step(true, "got 'left-\u001B[7mright\u001B[27m'")] }],
    ["green", "the step that shows it passed", { steps: [step(false, "left-right")] }],
    ["green", "the report names its neighbour's tests, not it", { ran: new Set(["adds"]), steps: [step(true, "left-right")] }],
    ["green", "the report names invented tests", { ran: new Set(["t1"]), steps: [step(true, "left-right")] }],
    ["unseen", "a step failed for another reason", { steps: [step(true, "new.test.js is not formatted")] }],
    ["green", "it was loaded, and nothing shows its failure", { loaded: new Set(["test/new.test.js"]), steps: [step(true, "other")] }],
  ])("%s: %s", (expected, _, seen) => {
    expect(fate(shown(seen))).toBe(expected);
  });

  test("nothing but a failed step makes an exception red", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), (failed, hasToken) => {
        const { fate: of } = judgePlant(load, shown({ steps: [step(failed, hasToken ? "x left-right" : "x")] }), near);
        expect(of).toBe(hasToken ? (failed ? "red" : "green") : "unseen");
      }),
    );
  });

  test("one green plant outweighs every red one, and without a red one nothing is proven", () => {
    const fates = fc.array(fc.constantFrom("red" as const, "green" as const, "unseen" as const));
    fc.assert(
      fc.property(fates, (all) => {
        const verdict = verdictOf(all.map((one) => ({ fate: one, step: null, why: "" })));
        expect(verdict).toBe(all.includes("green") ? "green" : all.includes("red") ? "red" : "unseen");
      }),
    );
  });
});

test("an exception is planted after everything else, in languages that run code at load", () => {
  for (const path of ["a.ts", "a.cjs", "a.py", "a.go"]) {
    const plant = loadPlant(path, "x", ["left", "right"]);
    expect(plant?.text.startsWith("x\n")).toBe(true);
    expect(plant?.text).not.toContain("left-right");
  }
  for (const path of ["a.d.ts", "a.rs", "a.java", "a.sh", "a.json"]) expect(canFailAtLoad(path)).toBe(false);
});

test.each([
  [true, ["README.md", "docs/guide.rst", "LICENSE", "logo.png", "notes.txt"]],
  [false, ["requirements.txt", "requirements-dev.txt", "CMakeLists.txt", "test/expected.txt", "package.json", "src/a.ts", "Makefile"]],
])("documents: %s", (expected, paths) => {
  for (const path of paths) expect(isDocument(path), path).toBe(expected);
});

test("every framework has a language of its own", () => {
  expect(new Set(TEST_FRAMEWORKS.map(({ language }) => language)).size).toBe(TEST_FRAMEWORKS.length);
});
