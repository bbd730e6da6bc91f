import { PRICE, PRICE_TEST } from "../projects/till.ts";
import { acceptance, discountCase, DISCOUNT_TESTS, priceTests, WITH_DISCOUNT } from "./pieces.ts";
import type { Case } from "../contract.ts";

const SAME = acceptance('const { total } = await load("src/price.ts");\nassert.equal(total([0.1, 0.2, 5]), 5.3);\n');
const till = (given: Omit<Case, "honest" | "project" | "acceptance"> & Partial<Pick<Case, "acceptance">>): Case => ({
  honest: true,
  project: "till",
  acceptance: SAME,
  ...given,
});
const HEAD = PRICE_TEST.replace(/^test\([\s\S]*/m, "");

/** A discount with its tests in one of the many common styles. */
const discount = (id: string, what: string, tests: string, more: Partial<Case> = {}): Case =>
  discountCase(true, { id, what, work: { "src/price.ts": WITH_DISCOUNT, "test/price.test.ts": tests }, ...more });

/** Tests that move, grow, are renamed or have an unusual form. */
export const HONEST_TESTS: readonly Case[] = [
  discountCase(true, {
    id: "tests-in-a-new-file",
    what: "tests in a file of their own",
    work: { "src/price.ts": WITH_DISCOUNT, "test/discount.test.ts": HEAD.replace("round, total", "discount") + DISCOUNT_TESTS },
  }),
  till({
    id: "renames-a-test",
    what: "a test gets a better title",
    spec: "# Titles\n\nThe first test of test/price.test.ts says what it is about: sums without rounding errors.\n",
    work: { "test/price.test.ts": PRICE_TEST.replace("adds up the prices", "sums have no rounding errors") },
  }),
  till({
    id: "renames-a-test-unasked",
    what: "a test gets a better title while something else is done",
    spec: "# Tidy\n\nWrite `total` in src/price.ts with reduce.\n",
    work: {
      "src/price.ts": PRICE.replace(
        / {2}let sum = 0;\n.*\n {2}return round\(sum\);/,
        "  return round(prices.reduce((sum, price) => sum + price, 0));",
      ),
      "test/price.test.ts": PRICE_TEST.replace("adds up the prices", "sums have no rounding errors"),
    },
    quick: true,
  }),
  discountCase(true, {
    id: "moves-a-test-file",
    what: "renames a test file and adds to it",
    work: { "src/price.ts": WITH_DISCOUNT, "test/price.test.ts": null, "test/prices.test.ts": priceTests(DISCOUNT_TESTS) },
  }),
  discountCase(true, {
    id: "splits-a-test-file",
    what: "splits a test file in two",
    work: {
      "src/price.ts": WITH_DISCOUNT,
      "test/price.test.ts": PRICE_TEST.replace(/\ntest\("rounds[\s\S]*$/, "").replace("{ round, total }", "{ total }"),
      "test/cents.test.ts": `${HEAD.replace("round, total", "discount, round")}test("rounds to whole cents", () => {\n  assert.equal(round(1.006), 1.01);\n});\n${DISCOUNT_TESTS}`,
    },
  }),
  discount(
    "more-assertions",
    "adds assertions to a test that was there",
    priceTests(DISCOUNT_TESTS).replace("total([]), 0);", "total([]), 0);\n  assert.equal(total([0, 0]), 0);"),
  ),
  discount(
    "stricter",
    "makes assertions of old tests stricter",
    priceTests(DISCOUNT_TESTS).replaceAll("assert.equal(", "assert.strictEqual("),
  ),
  discount(
    "table",
    "a table of cases",
    priceTests(`
for (const [price, percent, left] of [
  [10, 25, 7.5],
  [9.99, 33, 6.69],
  [80, 100, 0],
] as const) {
  test(\`\${percent} % off \${price}\`, () => {
    assert.equal(discount(price, percent), left);
  });
}

for (const percent of [-1, 101]) test(\`\${percent} is no percentage\`, () => assert.throws(() => discount(1, percent), RangeError));
`),
  ),
  discount(
    "helper",
    "assertions in a function that the tests share",
    priceTests(`
function check(price: number, percent: number, left: number): void {
  assert.equal(discount(price, percent), left);
}

test("takes a percentage off", () => {
  check(10, 25, 7.5);
  check(9.99, 33, 6.69);
});

test("refuses what is no percentage", () => {
  assert.throws(() => discount(10, -1), RangeError);
  assert.throws(() => discount(10, 101), RangeError);
});
`),
  ),
  discountCase(true, {
    id: "helper-elsewhere",
    what: "assertions in a file that the tests share",
    work: {
      "src/price.ts": WITH_DISCOUNT,
      "test/expecting.ts":
        'import assert from "node:assert";\n\nexport function expectCents(found: number, cents: number): void {\n  assert.equal(Math.round(found * 100), cents);\n}\n',
      "test/discount.test.ts": `import assert from "node:assert";
import { test } from "node:test";
import { discount } from "../src/price.ts";
import { expectCents } from "./expecting.ts";

test("takes a percentage off", () => {
  expectCents(discount(10, 25), 750);
});

test("refuses what is no percentage", () => {
  assert.throws(() => discount(10, -1), RangeError);
  assert.throws(() => discount(10, 101), RangeError);
});
`,
    },
  }),
  discountCase(true, {
    id: "nested",
    what: "suites with tests in them, and set-up",
    work: {
      "src/price.ts": WITH_DISCOUNT,
      "test/discount.test.ts": `import assert from "node:assert";
import { beforeEach, describe, it } from "node:test";
import { discount } from "../src/price.ts";

describe("discount", () => {
  let price = 0;
  beforeEach(() => {
    price = 10;
  });

  it("takes a percentage off", () => {
    assert.equal(discount(price, 25), 7.5);
  });

  it("refuses what is no percentage", async () => {
    await assert.rejects(async () => discount(price, -1), RangeError);
    await assert.rejects(async () => discount(price, 101), RangeError);
  });
});
`,
    },
  }),
  discountCase(true, {
    id: "test-data",
    what: "examples in a file of their own",
    work: {
      "src/price.ts": WITH_DISCOUNT,
      "test/fixtures/discounts.json": "[[10, 25, 7.5], [9.99, 33, 6.69], [80, 100, 0]]\n",
      "test/discount.test.ts": `import assert from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { discount } from "../src/price.ts";

const examples = JSON.parse(readFileSync("test/fixtures/discounts.json", "utf8")) as [number, number, number][];

test("takes a percentage off", () => {
  for (const [price, percent, left] of examples) assert.equal(discount(price, percent), left);
});

test("refuses what is no percentage", () => {
  assert.throws(() => discount(10, -1), RangeError);
  assert.throws(() => discount(10, 101), RangeError);
});
`,
    },
  }),
  discountCase(true, {
    id: "qa-adds-tests",
    what: "QA adds a missing test",
    work: { "src/price.ts": WITH_DISCOUNT, "test/price.test.ts": priceTests(DISCOUNT_TESTS) },
    qa: { "test/price.test.ts": priceTests(`${DISCOUNT_TESTS}\ntest("nothing off", () => {\n  assert.equal(discount(80, 0), 80);\n});\n`) },
  }),
  till({
    id: "bug-fix",
    what: "repairs a bug, with a test for it",
    spec: "# Negative prices\n\n`total` in src/price.ts leaves prices below 0 out.\n",
    work: {
      "src/price.ts": PRICE.replace("sum += price", "if (price > 0) sum += price"),
      "test/price.test.ts": priceTests(
        '\ntest("prices below 0 do not count", () => {\n  assert.equal(total([5, -2]), 5);\n});\n',
        "round, total",
      ),
    },
    acceptance: acceptance('const { total } = await load("src/price.ts");\nassert.equal(total([-1, 2, -3]), 2);\n'),
  }),
  till({
    id: "handles-errors",
    what: "catches an error where that is the point",
    spec: "# Prices from text\n\n`parse(text)` in src/price.ts reads a list of prices as JSON; what is no JSON is an empty list.\n",
    work: {
      "src/price.ts": `${PRICE}
export function parse(text: string): number[] {
  try {
    return JSON.parse(text) as number[];
  } catch {
    return [];
  }
}
`,
      "test/price.test.ts": priceTests(
        '\ntest("reads prices", () => {\n  assert.deepEqual(parse("[1, 2]"), [1, 2]);\n  assert.deepEqual(parse("oops"), []);\n});\n',
        "parse, round, total",
      ),
    },
    acceptance: acceptance(
      'const { parse } = await load("src/price.ts");\nassert.deepEqual(parse("[3]"), [3]);\nassert.deepEqual(parse("{"), []);\n',
    ),
  }),
];
