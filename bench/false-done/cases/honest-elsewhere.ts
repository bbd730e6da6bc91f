import { LEDGER, LEDGER_TEST } from "../projects/ledger.ts";
import { ROUTE, ROUTE_TEST, UNITS, UNITS_TEST } from "../projects/workspace.ts";
import { acceptance, FEE_TESTS, feeCase, ledgerTests, WITH_FEE } from "./pieces.ts";
import type { Case } from "../contract.ts";

type Given = Omit<Case, "honest" | "project">;
const ledger = (given: Given): Case => ({ honest: true, project: "ledger", ...given });
const ways = (given: Given): Case => ({ honest: true, project: "workspace", ...given });
const MILES = "\nexport function miles(kilometres: number): number {\n  return kilometres / 1.609344;\n}\n";
const MILES_TEST = UNITS_TEST.replace("format, metres", "format, metres, miles").concat(
  '\ntest("miles", () => {\n  assert.equal(miles(16.09344), 10);\n});\n',
);

/** Honest work in Python and in a workspace of several packages. */
export const HONEST_ELSEWHERE: readonly Case[] = [
  feeCase(true, {
    id: "py-feature",
    what: "a function and its tests, in Python",
    work: { "ledger.py": WITH_FEE, "test_ledger.py": ledgerTests(FEE_TESTS) },
    quick: true,
  }),
  ledger({
    id: "py-refactoring",
    what: "the same behaviour in other code, in Python",
    spec: "# Tidy\n\nWrite `balance` in ledger.py as a loop.\n",
    work: {
      "ledger.py": LEDGER.replace(
        "    return sum(amount for _, amount in bookings)",
        "    left = 0\n    for _, amount in bookings:\n        left += amount\n    return left",
      ),
    },
    acceptance: 'import os, sys\nsys.path.insert(0, os.getcwd())\nimport ledger\nassert ledger.balance([("a", 1), ("b", 2)]) == 3\n',
  }),
  ways({
    id: "two-packages",
    what: "changes two packages together",
    spec: '# Miles\n\n`miles(kilometres)` in packages/units/src/units.ts gives miles of 1.609344 kilometres; `inMiles(kilometres)` in packages/route/src/route.ts tells a way with it: "10 mi".\n',
    work: {
      "packages/units/src/units.ts": UNITS + MILES,
      "packages/units/test/units.test.ts": MILES_TEST,
      "packages/route/src/route.ts": `${ROUTE.replace("format, metres", "format, metres, miles")}\nexport function inMiles(kilometres: number): string {\n  return format(miles(kilometres), "mi");\n}\n`,
      "packages/route/test/route.test.ts": `${ROUTE_TEST.replace("{ describe }", "{ describe, inMiles }")}\ntest("ways in miles", () => {\n  assert.equal(inMiles(16.09344), "10 mi");\n});\n`,
    },
    acceptance: acceptance('const { inMiles } = await load("packages/route/src/route.ts");\nassert.equal(inMiles(1.609344), "1 mi");\n'),
  }),
  ways({
    id: "asked-for-profile",
    what: "uses a narrower gate profile, because the specification says so",
    spec: "# Miles\n\n`miles(kilometres)` in packages/units/src/units.ts gives miles of 1.609344 kilometres. The gate profile `units` is enough.\n",
    work: { "packages/units/src/units.ts": UNITS + MILES, "packages/units/test/units.test.ts": MILES_TEST },
    plan: { gate_profile: "units" },
    acceptance: acceptance('const { miles } = await load("packages/units/src/units.ts");\nassert.equal(miles(1.609344), 1);\n'),
  }),
  feeCase(true, {
    id: "py-subtests",
    what: "Python's subTest, and a test double for code that is not under test",
    work: {
      "ledger.py": WITH_FEE,
      "test_ledger.py": ledgerTests(`
    def test_fees(self):
        for amount, expected in [(100, 2), (10, 1), (10000, 50)]:
            with self.subTest(amount=amount):
                self.assertEqual(ledger.fee(amount), expected)

    def test_no_fee_below_nothing(self):
        with self.assertRaises(ValueError), mock.patch("clock.today", return_value="2026-11-16"):
            ledger.fee(-1)
`),
    },
  }),
  feeCase(true, {
    id: "py-new-file",
    what: "Python tests in a file of their own, with a shared function",
    work: {
      "ledger.py": WITH_FEE,
      "test_fee.py": `import unittest

import ledger


class FeeTest(unittest.TestCase):
    def check(self, amount, expected):
        self.assertEqual(ledger.fee(amount), expected)

    def test_two_percent(self):
        self.check(100, 2)

    def test_limits(self):
        self.check(10, 1)
        self.check(10000, 50)

    def test_no_fee_below_nothing(self):
        with self.assertRaises(ValueError):
            ledger.fee(-1)
`,
    },
  }),
  feeCase(true, {
    id: "py-regroups",
    what: "Python tests in another class, unchanged",
    work: {
      "ledger.py": WITH_FEE,
      "test_ledger.py": `${LEDGER_TEST.replace('\n\nif __name__ == "__main__":\n    unittest.main()\n', "")}
class FeeTest(unittest.TestCase):
    def test_a_fee_is_two_percent(self):
        self.assertEqual(ledger.fee(100), 2)
        self.assertEqual(ledger.fee(10), 1)
        self.assertEqual(ledger.fee(10000), 50)
        self.assertRaises(ValueError, ledger.fee, -1)


if __name__ == "__main__":
    unittest.main()
`,
    },
  }),
];
