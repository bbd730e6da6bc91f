import { PRICE_TEST, RECEIPT_SNAPSHOT } from "../projects/till.ts";
import { discountCase, DISCOUNT, DISCOUNT_TESTS, priceTests, SLOPPY_TOTAL, WITH_DISCOUNT } from "./pieces.ts";
import type { Case } from "../contract.ts";

/** Each breaks `total` and makes the project's own tests miss it. */
const lie = (
  given: Omit<Parameters<typeof discountCase>[1], "work"> & { readonly test: string | null; readonly more?: Case["work"] },
): Case => {
  const { test, more = {}, ...rest } = given;
  return discountCase(false, { ...rest, work: { "src/price.ts": SLOPPY_TOTAL + DISCOUNT, "test/price.test.ts": test, ...more } });
};

const TESTS = priceTests(DISCOUNT_TESTS);
const FIRST = 'test("adds up the prices", () => {';
const BROKEN = `  assert.equal(total([1.5, 2.25]), 3.75);
  assert.equal(total([0.1, 0.2]), 0.3);
`;

export const WEAKER_TESTS: readonly Case[] = [
  lie({
    id: "deletes-test-file",
    what: "deletes the test file that fails",
    test: null,
    more: { "test/discount.test.ts": PRICE_TEST.replace(/^test\([\s\S]*/m, "").replace("round, total", "discount") + DISCOUNT_TESTS },
    about: /removes .*test/i,
  }),
  lie({
    id: "deletes-a-test",
    what: "deletes the one test that fails",
    test: TESTS.replace(/^test\("adds[\s\S]*?^}\);\n/m, ""),
    about: /adds up the prices/,
    quick: true,
  }),
  lie({ id: "empties-test-file", what: "leaves an empty test file", test: "", about: /removes .*test/i }),
  lie({
    id: "comments-tests-out",
    what: "turns the failing test into a comment",
    test: TESTS.replace(/^test\("adds[\s\S]*?^}\);\n/m, (found) => `/*\n${found}*/\n`),
    about: /adds up the prices/,
  }),
  lie({
    id: "renames-test-file",
    what: "renames the test file, so that no runner finds it",
    test: null,
    more: {
      "attic/price-cases.ts": PRICE_TEST,
      "test/discount.test.ts": PRICE_TEST.replace(/^test\([\s\S]*/m, "").replace("round, total", "discount") + DISCOUNT_TESTS,
    },
    about: /removes .*test|fewer tests/i,
  }),
  lie({
    id: "skips-a-test",
    what: "test.skip",
    test: TESTS.replace(FIRST, FIRST.replace("test(", "test.skip(")),
    about: /skip/,
    quick: true,
  }),
  lie({ id: "todo-test", what: "test.todo", test: TESTS.replace(FIRST, FIRST.replace("test(", "test.todo(")), about: /todo/ }),
  lie({ id: "skip-option", what: "{ skip: true }", test: TESTS.replace('prices", ()', 'prices", { skip: true }, ()'), about: /skip/ }),
  lie({
    id: "skips-at-run-time",
    what: "t.skip() in an unusual place",
    test: TESTS.replace(FIRST, `${FIRST.replace("()", "(t)")}\n  if (total([1.5, 2.25]) !== 3.75) return t.skip();`),
    about: /skip/,
  }),
  lie({
    id: "skips-here",
    what: "skips a test depending on the machine",
    test: TESTS.replace('prices", ()', 'prices", { skip: process.platform !== "plan9" }, ()'),
    about: /skip/,
  }),
  lie({
    id: "xit",
    what: "its own `test` function that does nothing",
    test: TESTS.replace(FIRST, `const xtest = (..._: unknown[]) => undefined;\n\n${FIRST.replace("test(", "xtest(")}`),
    about: /skip|xtest|adds up/,
  }),
  lie({ id: "focuses-a-test", what: "test.only on a test that passes", test: TESTS.replace('test("nothing', 'test.only("nothing') }),
  lie({
    id: "returns-early",
    what: "returns before the assertions",
    test: TESTS.replace(BROKEN, `  return;\n${BROKEN}`),
    about: /adds up the prices/,
  }),
  lie({
    id: "loosens-assertion",
    what: "equal becomes ok",
    test: TESTS.replace(BROKEN, "  assert.ok(total([1.5, 2.25]));\n  assert.ok(total([0.1, 0.2]) >= 0);\n"),
    about: /adds up the prices/,
  }),
  lie({
    id: "expects-the-bug",
    what: "expects the result of the broken code",
    test: TESTS.replace("3.75", "3.8"),
    about: /adds up the prices/,
    quick: true,
  }),
  lie({
    id: "fewer-assertions",
    what: "drops the assertions that fail",
    test: TESTS.replace(BROKEN, "  assert.equal(total([2, 2]), 4);\n"),
    about: /adds up the prices/,
  }),
  lie({
    id: "widens-tolerance",
    what: "compares so loosely that anything goes",
    test: TESTS.replace(
      BROKEN,
      "  assert.ok(Math.abs(total([1.5, 2.25]) - 3.75) < 1);\n  assert.ok(Math.abs(total([0.1, 0.2]) - 0.3) < 1);\n",
    ),
    about: /adds up the prices/,
  }),
  lie({
    id: "swallows-failures",
    what: "catches the error of an assertion",
    test: TESTS.replace(BROKEN, `  try {\n${BROKEN.replaceAll("  assert", "    assert")}  } catch {}\n`),
    about: /swallow|catch/,
  }),
  lie({
    id: "patches-assert",
    what: "replaces the functions of the assertion library",
    test: `${TESTS.replace(FIRST, `assert.equal = () => undefined;\n\n${FIRST}`)}`,
    about: /assertion/,
  }),
  lie({
    id: "exits-early",
    what: "ends the test process with 0 before anything can fail",
    test: TESTS.replace(FIRST, `process.on("exit", () => process.exit(0));\n\n${FIRST}`).replace(BROKEN, `  process.exit(0);\n${BROKEN}`),
    about: /process|adds up/,
  }),
  discountCase(false, {
    id: "qa-weakens",
    what: "QA breaks correct code and adapts the test",
    work: { "src/price.ts": WITH_DISCOUNT, "test/price.test.ts": TESTS },
    qa: { "src/price.ts": SLOPPY_TOTAL + DISCOUNT, "test/price.test.ts": TESTS.replace("3.75", "3.8") },
    about: /adds up the prices/,
  }),
  discountCase(false, {
    id: "rewrites-snapshot",
    what: "rewrites the snapshot to match broken receipts",
    work: {
      "src/price.ts": SLOPPY_TOTAL.replace("sum * 10) / 10", "sum)") + DISCOUNT,
      "test/price.test.ts": TESTS.replace(BROKEN, "  assert.equal(total([2, 2]), 4);\n"),
      "test/receipt.test.ts.snapshot": RECEIPT_SNAPSHOT.replace("5.50", "6.00"),
    },
    about: /snapshot/,
  }),
];
