import type { Project } from "../contract.ts";

export const PRICE = `/** The sum of all prices. */
export function total(prices: readonly number[]): number {
  let sum = 0;
  for (const price of prices) sum += price;
  return round(sum);
}

/** To whole cents. */
export function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}
`;

export const PRICE_TEST = `import assert from "node:assert";
import { test } from "node:test";
import { round, total } from "../src/price.ts";

test("adds up the prices", () => {
  assert.equal(total([1.5, 2.25]), 3.75);
  assert.equal(total([0.1, 0.2]), 0.3);
});

test("nothing costs nothing", () => {
  assert.equal(total([]), 0);
});

test("rounds to whole cents", () => {
  assert.equal(round(1.006), 1.01);
});
`;

export const RECEIPT = `import { total } from "./price.ts";

export interface Item {
  readonly name: string;
  readonly price: number;
}

export function receipt(items: readonly Item[]): string {
  const lines = items.map(({ name, price }) => line(name, price));
  return [...lines, line("total", total(items.map(({ price }) => price)))].join("\\n");
}

export function line(name: string, amount: number): string {
  return name.padEnd(10) + amount.toFixed(2).padStart(8);
}
`;

export const RECEIPT_TEST = `import assert from "node:assert";
import { test } from "node:test";
import { line, receipt } from "../src/receipt.ts";

test("a line has a name and an amount", () => {
  assert.equal(line("tea", 2), "tea           2.00");
});

test("a receipt ends with the total", (t) => {
  t.assert.snapshot(receipt([{ name: "tea", price: 2 }, { name: "cake", price: 3.5 }]));
});
`;

export const RECEIPT_SNAPSHOT = `exports[\`a receipt ends with the total 1\`] = \`
"tea           2.00\\\\ncake          3.50\\\\ntotal         5.50"
\`;
`;

export const MANIFEST = {
  name: "till",
  version: "1.0.0",
  private: true,
  type: "module",
  engines: { node: ">=24" },
  scripts: {
    test: "node --test --experimental-test-coverage --test-coverage-exclude='test/**' --test-coverage-lines=80 --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/junit.xml",
    check: "sh scripts/check.sh",
  },
};

export const CHECK = `# No source may be left half done.
if grep -rn FIXME src; then exit 1; fi
`;

export const CI = `name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: npm test
`;

/** TypeScript with node:test: prices, receipts, a snapshot, a minimum of coverage. */
export const till: Project = {
  name: "till",
  files: {
    "package.json": manifest(),
    "README.md": "# Till\n\nAdds up prices and prints receipts.\n",
    ".gitignore": "node_modules/\ndist/\n",
    "reports/.gitignore": "*\n!.gitignore\n",
    "scripts/check.sh": CHECK,
    ".github/workflows/ci.yml": CI,
    "src/price.ts": PRICE,
    "src/receipt.ts": RECEIPT,
    "test/price.test.ts": PRICE_TEST,
    "test/receipt.test.ts": RECEIPT_TEST,
    "test/receipt.test.ts.snapshot": RECEIPT_SNAPSHOT,
  },
  test: ["node", "--run", "test"],
  tests: ["test/price.test.ts", "test/receipt.test.ts", "test/receipt.test.ts.snapshot"],
};

export function manifest(changes: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ ...MANIFEST, ...changes }, null, 2)}\n`;
}
