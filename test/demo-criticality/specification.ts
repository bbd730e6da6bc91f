import type { SpecDraftAnswer } from "@slipway/protocols/criticality/ignition/proposal";

/** What the architect finds in the answers of each phase. */
export const FEATURES = {
  discovery: [
    { id: "accounts", description: "Accounts with a balance in whole cents.", future: false, affects: [] },
    { id: "transfers", description: "Transfers between two accounts.", future: false, affects: [] },
  ],
  architecture: [
    {
      id: "currencies",
      description: "Accounts in other currencies.",
      future: true,
      affects: ["amounts", "transfers between accounts", "the total of all balances"],
    },
  ],
};

const FROZEN = "A frozen account sends and receives no money.";
const ALWAYS = "Deposits are always accepted.";

/** The first proposal has a contradiction that only the composition audit finds. */
export function specification(resolved: boolean): SpecDraftAnswer {
  return {
    domain: "banking",
    system: { name: "transfers", description: "Accounts in one bank, and transfers between them, as a library of pure functions." },
    boundaries: { external_systems: [], trust_boundaries: ["amounts and account numbers from callers"] },
    features: {
      accounts: { classification: "core", description: "Accounts with a balance in whole cents.", affects: [] },
      transfers: { classification: "core", description: "Transfers between two accounts.", affects: [] },
      currencies: { classification: "foundational", description: "Accounts in other currencies.", affects: ["amounts"] },
    },
    data_models: {
      Account: {
        fields: [
          { name: "id", type: "AccountId", constraints: ["unique", "immutable"] },
          { name: "balance", type: "NonNegativeAmount", constraints: ["non_negative"] },
          { name: "status", type: "AccountStatus", constraints: [] },
        ],
      },
      Bank: { fields: [{ name: "accounts", type: "Account[]", constraints: [] }] },
    },
    interfaces: {
      Transfers: {
        methods: [
          {
            name: "transfer",
            params: ["bank: Bank", "from: AccountId", "to: AccountId", "amount: PositiveAmount"],
            returns: "TransferResult",
          },
          { name: "totalBalance", params: ["bank: Bank"], returns: "number" },
        ],
      },
    },
    constraints: {
      functional: [
        "No account balance is ever negative.",
        "A transfer does not change the sum of all balances.",
        FROZEN,
        ...(resolved ? ["Deposits are accepted by active accounts."] : [ALWAYS]),
      ],
      non_functional: ["A transfer takes time proportional to the number of accounts."],
      security: ["Amounts from callers are checked before they are used."],
    },
    claims: {
      balance_001: { text: "No account balance is ever negative.", type: "invariant", testable: true },
      balance_002: { text: "A transfer does not change the sum of all balances.", type: "invariant", testable: true },
      transfer_001: {
        text: "A successful transfer takes the amount from the source and adds it to the target.",
        type: "behavioral",
        testable: true,
      },
      withdraw_001: { text: "Money that an account does not have cannot be withdrawn.", type: "negative", testable: true },
    },
    decisions: [
      {
        constraint: "Amounts are whole cents in a JavaScript number.",
        category: "data_model",
        rationale: "Sums of cents are exact up to nine quadrillion.",
      },
      {
        constraint: "Functions return new values and change nothing.",
        category: "architectural",
        rationale: "A refused transfer then leaves nothing to undo.",
      },
    ],
    rationale: "The library has values and functions only, so every claim can be tested without a server or a database.",
  };
}

/** What the invariant auditor finds in the first lattice. */
export const CONTRADICTION = {
  type: "invariant",
  severity: "critical",
  involved: [
    { constraint: FROZEN },
    { constraint: ALWAYS },
    { contract: 'src/domain/account.ts#deposit requires account.status === "active"' },
  ],
  analysis: "A deposit to a frozen account must be accepted by one constraint and refused by the other.",
  minimal_scenario: ["An account is frozen", "Somebody deposits 10.00 into it", "The deposit is accepted and refused at once"],
  suggested_resolution_options: ["Deposits are accepted by active accounts only", "Frozen accounts may still receive money"],
} as const;
