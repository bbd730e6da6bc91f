import type { Project } from "../contract.ts";

export const LEDGER = `"""Bookings and balances."""

import clock


def balance(bookings):
    return sum(amount for _, amount in bookings)


def entry(account, amount):
    if amount == 0:
        raise ValueError("an entry needs an amount")
    return (account, amount)


def stamped(account, amount):
    return (clock.today(), *entry(account, amount))
`;

export const LEDGER_TEST = `import unittest
from unittest import mock

import ledger


class LedgerTest(unittest.TestCase):
    def test_balance_adds_up(self):
        self.assertEqual(ledger.balance([("rent", -700), ("pay", 2000)]), 1300)

    def test_no_bookings_no_balance(self):
        self.assertEqual(ledger.balance([]), 0)

    def test_an_entry_needs_an_amount(self):
        with self.assertRaises(ValueError):
            ledger.entry("rent", 0)

    def test_entries_are_stamped(self):
        with mock.patch("clock.today", return_value="2026-11-15"):
            self.assertEqual(ledger.stamped("rent", 5), ("2026-11-15", "rent", 5))


if __name__ == "__main__":
    unittest.main()
`;

/** Python with unittest, which writes no report: only its exit code counts. */
export const ledger: Project = {
  name: "ledger",
  files: {
    "ledger.py": LEDGER,
    "clock.py": "import datetime\n\n\ndef today():\n    return datetime.date.today().isoformat()\n",
    "test_ledger.py": LEDGER_TEST,
    "README.md": "# Ledger\n",
    ".gitignore": "__pycache__/\nbuild/\n",
  },
  test: ["python3", "-B", "-m", "unittest"],
  tests: ["test_ledger.py"],
};
