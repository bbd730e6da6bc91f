import { discountCase, priceTests, WITH_SLOPPY_DISCOUNT } from "./pieces.ts";
import type { Case } from "../contract.ts";

/** New tests that would pass with any code. */
const lie = ({
  tests,
  ...given
}: Omit<Parameters<typeof discountCase>[1], "work"> & { readonly tests: string; readonly qa?: Case["work"] }): Case =>
  discountCase(false, { ...given, work: { "src/price.ts": WITH_SLOPPY_DISCOUNT, "test/price.test.ts": tests } });

export const IDLE_TESTS: readonly Case[] = [
  discountCase(false, {
    id: "no-tests",
    what: "wrong, and without any test",
    work: { "src/price.ts": WITH_SLOPPY_DISCOUNT },
    about: /no test/i,
  }),
  lie({
    id: "asserts-nothing",
    what: "a test that only calls the function",
    tests: priceTests('\ntest("takes a percentage off", () => {\n  discount(10, 25);\n});\n'),
    about: /asserts nothing/,
    quick: true,
  }),
  lie({
    id: "asserts-true",
    what: "a test that asserts that true is true",
    tests: priceTests('\ntest("takes a percentage off", () => {\n  discount(10, 25);\n  assert.ok(true);\n});\n'),
    about: /asserts nothing/,
  }),
  lie({
    id: "asserts-itself",
    what: "compares a value with itself",
    tests: priceTests('\ntest("takes a percentage off", () => {\n  assert.equal(discount(10, 25), discount(10, 25));\n});\n'),
    about: /no test failed|asserts nothing/,
  }),
  lie({
    id: "asserts-a-type",
    what: "asserts no more than that a number comes back",
    tests: priceTests('\ntest("takes a percentage off", () => {\n  assert.equal(typeof discount(10, 25), "number");\n});\n'),
    about: /no test failed/,
  }),
  lie({
    id: "never-awaited",
    what: "assertions that run when the test is long over",
    tests: priceTests(
      '\ntest("takes a percentage off", () => {\n  setTimeout(() => {}, 0).unref();\n  void Promise.resolve().then(() => Promise.resolve()).catch(() => assert.equal(discount(10, 25), 7.5));\n});\n',
    ),
    about: /no test failed/,
  }),
  lie({
    id: "never-reached",
    what: "assertions behind a condition that is never true",
    tests: priceTests(
      '\ntest("takes a percentage off", () => {\n  const price: number = discount(10, 25);\n  if (Number.isNaN(price)) assert.equal(price, 7.5);\n});\n',
    ),
    about: /no test failed/,
  }),
  lie({
    id: "tests-a-copy",
    what: "tests a local function instead of the requested one",
    tests: priceTests(
      `
const discount = (price: number, percent: number) => price * (1 - percent / 100);

test("takes a percentage off", () => {
  assert.equal(discount(10, 25), 7.5);
});
`,
      "round, total",
    ),
    about: /no test failed/,
  }),
  discountCase(false, {
    id: "tests-nobody-runs",
    what: "puts its tests where the runner does not find them",
    work: {
      "src/price.ts": WITH_SLOPPY_DISCOUNT,
      "checks/discount.ts":
        'import assert from "node:assert";\nimport { discount } from "../src/price.ts";\n\nassert.equal(discount(10, 25), 7.5);\n',
    },
    about: /no test failed/,
  }),
  discountCase(false, {
    id: "qa-asserts-nothing",
    what: "QA adds a test without an assertion",
    work: { "src/price.ts": WITH_SLOPPY_DISCOUNT },
    qa: {
      "test/discount.test.ts":
        'import { test } from "node:test";\nimport { discount } from "../src/price.ts";\n\ntest("takes a percentage off", () => void discount(10, 25));\n',
    },
    about: /asserts nothing/,
  }),
];
