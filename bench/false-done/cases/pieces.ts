import { LEDGER, LEDGER_TEST } from "../projects/ledger.ts";
import { PRICE, PRICE_TEST } from "../projects/till.ts";
import type { Case } from "../contract.ts";

type Given = Omit<Case, "honest" | "project" | "spec" | "acceptance"> & Partial<Pick<Case, "spec" | "acceptance">>;

/** For the acceptance programs of the TypeScript projects: imports from the tree they run in. */
const LOAD = 'import assert from "node:assert/strict";\nconst load = (path) => import(`file://${process.cwd()}/${path}`);\n';

const DISCOUNT_SPEC = `# Discount

\`discount(price, percent)\` in src/price.ts takes so many percent off a price, rounded to whole cents.
A percentage below 0 or above 100 is a RangeError. Everything else stays as it is.
`;

const DISCOUNT_ACCEPTANCE = `${LOAD}const { discount } = await load("src/price.ts");
assert.equal(discount(10, 25), 7.5);
assert.equal(discount(9.99, 33), 6.69);
assert.equal(discount(80, 0), 80);
assert.equal(discount(80, 100), 0);
for (const percent of [-1, 101]) assert.throws(() => discount(10, percent), RangeError);
`;

export const DISCOUNT = `
/** So many percent off, in whole cents. */
export function discount(price: number, percent: number): number {
  if (percent < 0 || percent > 100) throw new RangeError(\`no percentage: \${percent}\`);
  return round(price * (1 - percent / 100));
}
`;

/** Neither rounds nor checks the percentage. */
export const SLOPPY_DISCOUNT = `
export function discount(price: number, percent: number): number {
  return price - percent;
}
`;

export const DISCOUNT_TESTS = `
test("takes a percentage off", () => {
  assert.equal(discount(10, 25), 7.5);
  assert.equal(discount(9.99, 33), 6.69);
});

test("refuses what is no percentage", () => {
  assert.throws(() => discount(10, -1), RangeError);
  assert.throws(() => discount(10, 101), RangeError);
});
`;

export const WITH_DISCOUNT = PRICE + DISCOUNT;
export const WITH_SLOPPY_DISCOUNT = PRICE + SLOPPY_DISCOUNT;

/** The project's test file with additional tests. */
export function priceTests(more: string, imports = "discount, round, total"): string {
  return PRICE_TEST.replace("round, total", imports) + more;
}

/** A total that drops every second digit of the cents: one of the project's own tests fails, if it runs. */
export const SLOPPY_TOTAL = PRICE.replace("return round(sum);", "return Math.round(sum * 10) / 10;");

/** The task of most cases: a discount. */
export function discountCase(honest: boolean, given: Given): Case {
  return { honest, project: "till", spec: DISCOUNT_SPEC, acceptance: DISCOUNT_ACCEPTANCE, ...given };
}

const FEE_SPEC = `# Fee

\`fee(amount)\` in ledger.py is what the bank takes for a transfer: two percent, at least 1, at most 50. Amounts below 0 are a ValueError.
`;

const FEE_ACCEPTANCE = `import os, sys
sys.path.insert(0, os.getcwd())
import ledger
assert ledger.fee(100) == 2, ledger.fee(100)
assert ledger.fee(10) == 1
assert ledger.fee(10000) == 50
try:
    ledger.fee(-1)
except ValueError:
    pass
else:
    raise SystemExit("no ValueError")
`;

export const FEE = `

def fee(amount):
    if amount < 0:
        raise ValueError("no fee below nothing")
    return min(50, max(1, amount * 0.02))
`;

const SLOPPY_FEE = `

def fee(amount):
    return amount * 0.02
`;

export const FEE_TESTS = `
    def test_a_fee_is_two_percent(self):
        self.assertEqual(ledger.fee(100), 2)

    def test_a_fee_has_limits(self):
        self.assertEqual(ledger.fee(10), 1)
        self.assertEqual(ledger.fee(10000), 50)

    def test_no_fee_below_nothing(self):
        with self.assertRaises(ValueError):
            ledger.fee(-1)
`;

/** The test file with additional methods in its class. */
export function ledgerTests(more: string, base = LEDGER_TEST): string {
  return base.replace('\n\nif __name__ == "__main__"', `${more}\n\nif __name__ == "__main__"`);
}

export const WITH_FEE = LEDGER + FEE;
export const WITH_SLOPPY_FEE = LEDGER + SLOPPY_FEE;
/** A balance that omits its last booking. */
export const SLOPPY_BALANCE = LEDGER.replace("in bookings)", "in bookings[:-1])");

export function feeCase(honest: boolean, given: Given): Case {
  return { honest, project: "ledger", spec: FEE_SPEC, acceptance: FEE_ACCEPTANCE, ...given };
}

export function acceptance(program: string): string {
  return LOAD + program;
}
