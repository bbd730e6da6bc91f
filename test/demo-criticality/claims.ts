import type { z } from "zod";
import type { structuredClaimSchema } from "@slipway/languages/property-tests/claim";

type Structured = z.input<typeof structuredClaimSchema> & { readonly id: string };

const plain = { testable: true, requires_mocking: [], suggested_generators: [] };

/** Two accounts, and a transfer between any two of them, which may be the same. */
const TRANSFER = {
  inputs: [
    { name: "first", type: "NonNegativeAmount" },
    { name: "second", type: "NonNegativeAmount" },
    { name: "amount", type: "PositiveAmount" },
    { name: "from", type: '"a" | "b"' },
    { name: "to", type: '"a" | "b"' },
  ],
  setup: [
    { name: "bank", value: '({ accounts: [openAccount(accountId("a"), first), openAccount(accountId("b"), second)] })' },
    { name: "outcome", value: "transfer(bank, accountId(from), accountId(to), amount)" },
  ],
  operations: [{ call: "totalBalance(bank)" }],
};

const NEVER_NEGATIVE: Structured = {
  ...plain,
  id: "balance_001",
  type: "invariant",
  subject: "balance",
  predicate: ">= 0",
  scope: "after any deposit and withdrawal",
  test: {
    inputs: [
      { name: "initial", type: "NonNegativeAmount" },
      { name: "paid", type: "PositiveAmount" },
      { name: "taken", type: "PositiveAmount" },
    ],
    setup: [{ name: "account", value: 'deposit(openAccount(accountId("a"), initial), paid)' }],
    operations: [{ call: "withdraw(account, taken)", when: "account.balance >= taken" }],
    assert: "(account.balance >= taken ? withdraw(account, taken) : account).balance >= 0",
  },
};

const SAME_SUM: Structured = {
  ...plain,
  id: "balance_002",
  type: "invariant",
  subject: "sum of balances",
  predicate: "unchanged",
  scope: "after any sequence of transfers",
  test: {
    inputs: [
      { name: "first", type: "NonNegativeAmount" },
      { name: "second", type: "NonNegativeAmount" },
    ],
    setup: [
      { name: "bank", type: "Bank", value: '({ accounts: [openAccount(accountId("a"), first), openAccount(accountId("b"), second)] })' },
      { name: "total", value: "totalBalance(bank)" },
    ],
    operations: [
      {
        call: "transfer(bank, accountId(from), accountId(to), amount)",
        inputs: [
          { name: "from", type: '"a" | "b"' },
          { name: "to", type: '"a" | "b"' },
          { name: "amount", type: "PositiveAmount" },
        ],
        update: { name: "bank", value: "result.ok ? result.bank : bank" },
      },
    ],
    assert: "totalBalance(bank) === total",
  },
};

const MOVES_AMOUNT: Structured = {
  ...plain,
  id: "transfer_001",
  type: "behavioral",
  subject: "transfer",
  predicate: "source decreases and target increases by the amount",
  scope: "a successful transfer between two accounts",
  test: {
    ...TRANSFER,
    assert:
      '!outcome.ok || from === to || (findAccount(outcome.bank, accountId(from))?.balance === (from === "a" ? first : second) - amount && findAccount(outcome.bank, accountId(to))?.balance === (to === "a" ? first : second) + amount)',
  },
};

const NO_OVERDRAFT: Structured = {
  ...plain,
  id: "withdraw_001",
  type: "negative",
  subject: "withdraw",
  predicate: "fails",
  scope: "more than the balance",
  test: {
    inputs: [
      { name: "initial", type: "NonNegativeAmount" },
      { name: "amount", type: "PositiveAmount" },
    ],
    setup: [{ name: "account", value: 'openAccount(accountId("a"), initial)' }],
    operations: [{ call: "withdraw(account, amount)", when: "amount > initial" }],
  },
};

function cluster(subject: string, claims: readonly Structured[]) {
  const verdicts = claims.map(({ id }) => ({ id, faithful: true, reason: "The test says what the claim says." }));
  return [
    { role: "structurer", subject, attempt: "1", output: { claims } },
    { role: "auditor", subject, attempt: "1", output: { verdicts } },
  ];
}

/** The structurer's and the auditor's answers about the claims of each cluster. */
export const CLAIMS = [...cluster("account", [NEVER_NEGATIVE, NO_OVERDRAFT]), ...cluster("transfers", [SAME_SUM, MOVES_AMOUNT])];
