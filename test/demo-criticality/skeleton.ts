import type { Scaffold } from "@slipway/protocols/criticality/lattice/scaffold";
import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";

const number = { generic: false, type_params: [], inner_type: "number" };

export const WITNESSES: WitnessDefinition[] = [
  {
    name: "NonNegativeAmount",
    description: "An amount in cents that is zero or more.",
    base: number,
    invariants: [
      { id: "whole", description: "Whole cents", formal: "Number.isInteger(value)", testable: true },
      { id: "non_negative", description: "Not below zero", formal: "value >= 0", testable: true },
    ],
    constructors: [{ name: "nonNegativeAmount", trust_level: "safe" }],
  },
  {
    name: "PositiveAmount",
    description: "An amount in cents above zero.",
    base: number,
    invariants: [
      { id: "whole", description: "Whole cents", formal: "Number.isInteger(value)", testable: true },
      { id: "positive", description: "Above zero", formal: "value > 0", testable: true },
    ],
    constructors: [{ name: "positiveAmount", trust_level: "safe" }],
  },
  {
    name: "AccountId",
    description: "The number of an account.",
    base: { generic: false, type_params: [], inner_type: "string" },
    invariants: [{ id: "present", description: "Not empty", formal: "value.length > 0", testable: true }],
    constructors: [{ name: "accountId", trust_level: "safe" }],
  },
];

/** A function of the skeleton: its contract, and its signature up to the body. */
type Declared = readonly [clauses: readonly string[], signature: string];

function moduleText(head: readonly string[], functions: readonly Declared[], hole: string): string {
  const declared = functions.map(([clauses, signature]) =>
    ["/**", ...clauses.map((clause) => ` * ${clause}`), " */", `export function ${signature} {`, `  ${hole}`, "}"].join("\n"),
  );
  return `${[head.join("\n"), ...declared].join("\n\n")}\n`;
}

const ACCOUNT_ID = 'import type { AccountId } from "../witnesses/account-id.ts";';
const NON_NEGATIVE = 'import { nonNegativeAmount, type NonNegativeAmount } from "../witnesses/non-negative-amount.ts";';
const NON_NEGATIVE_TYPE = 'import type { NonNegativeAmount } from "../witnesses/non-negative-amount.ts";';
const POSITIVE = 'import type { PositiveAmount } from "../witnesses/positive-amount.ts";';

const MONEY: readonly Declared[] = [
  [
    ["ENSURES: result === left + right", "COMPLEXITY: O(1)", "PURITY: pure"],
    "addAmounts(left: NonNegativeAmount, right: NonNegativeAmount): NonNegativeAmount",
  ],
  [
    [
      "ENSURES: amount < 10000 implies result === 0",
      "ENSURES: amount >= 10000 implies result === Math.floor(amount / 1000)",
      "COMPLEXITY: O(1)",
      "PURITY: pure",
    ],
    "feeFor(amount: PositiveAmount): NonNegativeAmount",
  ],
  [
    ['ENSURES: result === `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`', "PURITY: pure"],
    "formatAmount(amount: NonNegativeAmount): string",
  ],
  [
    ["ENSURES: result === null || result >= 0", "ENSURES: !/^[0-9]{1,9}\\.[0-9]{2}$/.test(text) implies result === null", "PURITY: pure"],
    "parseAmount(text: string): NonNegativeAmount | null",
  ],
  [
    ["ENSURES: amounts.length === 0 implies result === 0", "ENSURES: amounts.every((amount) => result >= amount)", "PURITY: pure"],
    "sumAmounts(amounts: readonly NonNegativeAmount[]): NonNegativeAmount",
  ],
];

const ACCOUNT: readonly Declared[] = [
  [
    ['ENSURES: result === (account.status === "active" && account.balance >= amount)', "PURITY: pure"],
    "canWithdraw(account: Account, amount: PositiveAmount): boolean",
  ],
  [
    [
      'REQUIRES: account.status === "active"',
      "ENSURES: result.balance === account.balance + amount",
      "ENSURES: result.id === account.id && result.status === account.status",
      "PURITY: pure",
      "CLAIM_REF: balance_001",
    ],
    "deposit(account: Account, amount: PositiveAmount): Account",
  ],
  [
    ['ENSURES: result.status === "frozen"', "ENSURES: result.id === account.id && result.balance === account.balance", "PURITY: pure"],
    "freeze(account: Account): Account",
  ],
  [
    ["ENSURES: result.id === id", "ENSURES: result.balance === initial", 'ENSURES: result.status === "active"', "PURITY: pure"],
    "openAccount(id: AccountId, initial: NonNegativeAmount): Account",
  ],
  [
    [
      'REQUIRES: account.status === "active"',
      "REQUIRES: account.balance >= amount",
      "ENSURES: result.balance === account.balance - amount",
      "ENSURES: result.id === account.id && result.status === account.status",
      "PURITY: pure",
      "CLAIM_REF: balance_001",
      "CLAIM_REF: withdraw_001",
    ],
    "withdraw(account: Account, amount: PositiveAmount): Account",
  ],
];

const BANK: readonly Declared[] = [
  [
    [
      "ENSURES: bank.accounts.every((account) => account.id !== id) implies result === null",
      "ENSURES: result === null || result.id === id",
      "PURITY: pure",
    ],
    "findAccount(bank: Bank, id: AccountId): Account | null",
  ],
  [
    [
      "ENSURES: result.accounts.length === bank.accounts.length",
      "ENSURES: result.accounts.every((one) => one.id !== account.id || one.balance === account.balance)",
      "PURITY: pure",
    ],
    "replaceAccount(bank: Bank, account: Account): Bank",
  ],
  [
    ["ENSURES: result === bank.accounts.reduce((sum, account) => sum + account.balance, 0)", "PURITY: pure"],
    "totalBalance(bank: Bank): number",
  ],
];

const TRANSFER: readonly Declared[] = [
  [
    [
      'ENSURES: result === null || ["unknown_account", "frozen", "insufficient_funds"].includes(result)',
      'ENSURES: bank.accounts.every((account) => account.id !== from && account.id !== to) implies result === "unknown_account"',
      "PURITY: pure",
    ],
    "checkTransfer(bank: Bank, from: AccountId, to: AccountId, amount: PositiveAmount): TransferFailure | null",
  ],
  [["ENSURES: result.length > 0", 'ENSURES: !result.includes("_")', "PURITY: pure"], "describeFailure(failure: TransferFailure): string"],
  [
    [
      "ENSURES: !result.ok || result.bank.accounts.length === bank.accounts.length",
      "ENSURES: bank.accounts.length === 0 implies !result.ok",
      "PURITY: pure",
      "CLAIM_REF: balance_002",
      "CLAIM_REF: transfer_001",
    ],
    "transfer(bank: Bank, from: AccountId, to: AccountId, amount: PositiveAmount): TransferResult",
  ],
];

/** The skeleton of the structurer. The hole is what the adapter asks for. */
export function skeleton(hole: string): Scaffold {
  return {
    files: [
      { path: "src/domain/money.ts", feature: null, text: moduleText([NON_NEGATIVE, POSITIVE], MONEY, hole) },
      {
        path: "src/domain/account.ts",
        feature: "accounts",
        text: moduleText(
          [
            ACCOUNT_ID,
            NON_NEGATIVE,
            POSITIVE,
            "",
            'export type AccountStatus = "active" | "frozen";',
            "",
            "export interface Account {",
            "  readonly id: AccountId;",
            "  readonly balance: NonNegativeAmount;",
            "  readonly status: AccountStatus;",
            "}",
          ],
          ACCOUNT,
          hole,
        ),
      },
      {
        path: "src/services/bank.ts",
        feature: "accounts",
        text: moduleText(
          [
            'import type { Account } from "../domain/account.ts";',
            ACCOUNT_ID,
            "",
            "export interface Bank {",
            "  readonly accounts: readonly Account[];",
            "}",
          ],
          BANK,
          hole,
        ),
      },
      {
        path: "src/services/currency.ts",
        feature: "currencies",
        text: `${[NON_NEGATIVE_TYPE, "", "/** Extension point for amounts in several currencies. */", "export interface Currency {", "  readonly code: string;", "  readonly toCents: (amount: NonNegativeAmount) => NonNegativeAmount;", "}"].join("\n")}\n`,
      },
      {
        path: "src/services/transfer.ts",
        feature: "transfers",
        text: moduleText(
          [
            'import { deposit, withdraw } from "../domain/account.ts";',
            ACCOUNT_ID,
            POSITIVE,
            'import { findAccount, replaceAccount, type Bank } from "./bank.ts";',
            "",
            'export type TransferFailure = "unknown_account" | "frozen" | "insufficient_funds";',
            "",
            "export type TransferResult =",
            "  | { readonly ok: true; readonly bank: Bank }",
            "  | { readonly ok: false; readonly reason: TransferFailure };",
          ],
          TRANSFER,
          hole,
        ),
      },
    ],
    calls: [
      { function: "src/domain/money.ts#sumAmounts", calls: ["src/domain/money.ts#addAmounts"] },
      { function: "src/services/transfer.ts#checkTransfer", calls: ["src/services/bank.ts#findAccount"] },
      {
        function: "src/services/transfer.ts#transfer",
        calls: [
          "src/services/transfer.ts#checkTransfer",
          "src/services/bank.ts#findAccount",
          "src/services/bank.ts#replaceAccount",
          "src/domain/account.ts#deposit",
          "src/domain/account.ts#withdraw",
        ],
      },
    ],
  };
}
