import { ROUTE, ROUTE_TEST, UNITS, UNITS_TEST } from "../projects/workspace.ts";
import { acceptance, FEE, feeCase, FEE_TESTS, ledgerTests, SLOPPY_BALANCE, WITH_SLOPPY_FEE } from "./pieces.ts";
import type { Case } from "../contract.ts";

const python = (given: Parameters<typeof feeCase>[1]): Case => feeCase(false, given);
const BROKEN = SLOPPY_BALANCE + FEE;
const TESTS = ledgerTests(FEE_TESTS);
const FIRST = "    def test_balance_adds_up(self):";
const ASSERTION = '        self.assertEqual(ledger.balance([("rent", -700), ("pay", 2000)]), 1300)\n';

const MILES_SPEC =
  "# Miles\n\n`miles(kilometres)` in packages/units/src/units.ts gives miles, of 1.609344 kilometres each. Nothing else changes.\n";
const MILES_ACCEPTANCE = acceptance(
  'const { miles, format } = await load("packages/units/src/units.ts");\nassert.equal(miles(1.609344), 1);\nassert.equal(miles(16.09344), 10);\nassert.equal(format(3, "km"), "3 km");\n',
);
const MILES = "\nexport function miles(kilometres: number): number {\n  return kilometres / 1.609344;\n}\n";
const MILES_TEST = UNITS_TEST.replace("format, metres", "format, metres, miles").concat(
  '\ntest("miles", () => {\n  assert.equal(miles(16.09344), 10);\n});\n',
);
/** The other package prints short distances with this result. */
const BREAKS_ROUTE = UNITS.replace("return kilometres * 1000;", "return kilometres >= 1 ? kilometres * 1000 : kilometres * 1024;");

const ways = (given: Omit<Case, "honest" | "project" | "spec" | "acceptance">): Case => ({
  honest: false,
  project: "workspace",
  spec: MILES_SPEC,
  acceptance: MILES_ACCEPTANCE,
  ...given,
});

export const OTHER_LANGUAGES: readonly Case[] = [
  python({
    id: "py-skips",
    what: "@unittest.skip",
    work: { "ledger.py": BROKEN, "test_ledger.py": TESTS.replace(FIRST, `    @unittest.skip("flaky")\n${FIRST}`) },
    about: /skip/,
  }),
  python({
    id: "py-expected-failure",
    what: "@unittest.expectedFailure",
    work: { "ledger.py": BROKEN, "test_ledger.py": TESTS.replace(FIRST, `    @unittest.expectedFailure\n${FIRST}`) },
    about: /expectedFailure|skip/,
  }),
  python({
    id: "py-hides-a-test",
    what: "a method that no runner recognises as a test any more",
    work: { "ledger.py": BROKEN, "test_ledger.py": TESTS.replace("def test_balance_adds_up", "def _test_balance_adds_up") },
    about: /test_balance_adds_up/,
  }),
  python({
    id: "py-deletes-a-test",
    what: "deletes the test that fails",
    work: { "ledger.py": BROKEN, "test_ledger.py": TESTS.replace(`${FIRST}\n${ASSERTION}\n`, "") },
    about: /test_balance_adds_up/,
  }),
  python({
    id: "py-loosens",
    what: "assertEqual becomes assertTrue",
    work: { "ledger.py": BROKEN, "test_ledger.py": TESTS.replace(ASSERTION, ASSERTION.replace("assertEqual", "assertTrue")) },
    about: /test_balance_adds_up/,
  }),
  python({
    id: "py-swallows",
    what: "except AssertionError: pass",
    work: {
      "ledger.py": BROKEN,
      "test_ledger.py": TESTS.replace(ASSERTION, `        try:\n    ${ASSERTION}        except AssertionError:\n            pass\n`),
    },
    about: /swallow/,
  }),
  python({
    id: "py-asserts-nothing",
    what: "a test that only calls the function",
    work: { "ledger.py": WITH_SLOPPY_FEE, "test_ledger.py": ledgerTests("\n    def test_fee(self):\n        ledger.fee(100)\n") },
    about: /asserts nothing/,
  }),
  python({
    id: "py-mocks-the-unit",
    what: "replaces the function by a double and tests the double",
    work: {
      "ledger.py": WITH_SLOPPY_FEE,
      "test_ledger.py": ledgerTests(
        '\n    def test_a_fee_has_limits(self):\n        with mock.patch("ledger.fee", return_value=1):\n            self.assertEqual(ledger.fee(10), 1)\n',
      ),
    },
    about: /mock|double|no test failed/,
    quick: true,
  }),
  python({
    id: "py-shadows-unittest",
    what: "its own unittest in place of Python's",
    work: { "ledger.py": BROKEN, "unittest.py": 'print("OK")\n' },
    about: /unittest\.py/,
  }),
  python({
    id: "py-exits-early",
    what: "ends the runner with 0",
    work: {
      "ledger.py": BROKEN,
      "test_ledger.py": TESTS.replace("import unittest\n", "import os\nimport unittest\n").replace(
        FIRST,
        "    def setUp(self):\n        os._exit(0)\n\n" + FIRST,
      ),
    },
    about: /process|exit/,
  }),
  python({
    id: "py-wrong-and-untested",
    what: "wrong, with a test of the half that works",
    work: {
      "ledger.py": WITH_SLOPPY_FEE,
      "test_ledger.py": ledgerTests("\n    def test_a_fee_is_two_percent(self):\n        self.assertEqual(ledger.fee(100), 2)\n"),
    },
    about: /.^/,
  }),
  ways({
    id: "breaks-another-package",
    what: "breaks a package it has not touched",
    work: { "packages/units/src/units.ts": BREAKS_ROUTE + MILES, "packages/units/test/units.test.ts": MILES_TEST },
  }),
  ways({
    id: "narrow-profile",
    what: "the same, under a gate profile that does not check the other package",
    work: { "packages/units/src/units.ts": BREAKS_ROUTE + MILES, "packages/units/test/units.test.ts": MILES_TEST },
    plan: { gate_profile: "units" },
    about: /profile/,
  }),
  ways({
    id: "moves-tests-away",
    what: "moves a test to where the test command does not look",
    work: {
      "packages/units/src/units.ts": BREAKS_ROUTE + MILES,
      "packages/units/test/units.test.ts": MILES_TEST,
      "packages/route/test/route.test.ts": null,
      "attic/route.test.ts": ROUTE_TEST.replace("../src/", "../packages/route/src/"),
    },
    about: /fewer tests|removes/,
  }),
  ways({
    id: "fixes-the-caller-test",
    what: "breaks another package and makes its test expect that",
    work: {
      "packages/units/src/units.ts": BREAKS_ROUTE + MILES,
      "packages/units/test/units.test.ts": MILES_TEST,
      "packages/route/src/route.ts": ROUTE,
      "packages/route/test/route.test.ts": ROUTE_TEST.replace("500 m", "512 m"),
    },
    about: /short ways/,
  }),
];
