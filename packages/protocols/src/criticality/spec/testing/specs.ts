import type { SystemSpec } from "../schema.ts";

/** A small but complete specification. */
export function sampleSpec(change: Partial<SystemSpec> = {}): SystemSpec {
  return {
    meta: { version: "1.0.0", created: "2026-11-18T10:00:00.000Z", domain: "fintech" },
    system: { name: "payment-processor", description: "Moves money between accounts" },
    boundaries: { external_systems: ["bank-api"], trust_boundaries: ["user-input"] },
    features: {
      transfers: { classification: "core", description: "Move an amount", affects: [] },
      multi_currency: { classification: "foundational", description: "Several currencies", affects: ["data model"] },
      csv_export: { classification: "bolt-on", description: "Export as CSV", affects: [] },
    },
    data_models: {
      Account: {
        fields: [
          { name: "id", type: "UUID", constraints: ["unique", "immutable"] },
          { name: "balance", type: "Decimal", constraints: ["non_negative"] },
        ],
      },
    },
    interfaces: {
      PaymentService: {
        methods: [
          { name: "transfer", params: ["from: AccountId", "amount: Decimal"], returns: "Result<TransactionId, PaymentError>" },
          { name: "get_balance", params: ["account: AccountId"], returns: "Decimal" },
        ],
      },
    },
    constraints: { functional: ["Balance never goes negative"], non_functional: ["Transfer takes < 100 ms"], security: ["No PII in logs"] },
    claims: {
      balance_001: { text: "Balance never goes negative", type: "invariant", testable: true },
      elegance_001: { text: "The API is elegant", type: "behavioral", testable: false },
    },
    ...change,
  };
}

/** As a person writes it: comments, unquoted time, tables in another order, defaults left out. */
export const WRITTEN = `# Payments
[system]
name = "payment-processor"
description = "Moves money"

[meta]
version = "1.0.0"
created = 2025-01-23T10:00:00Z
domain = "fintech"

[boundaries]
external_systems = ["bank-api"]
trust_boundaries = []

[data_models]
[data_models.Account]
fields = [
    { name = "id", type = "UUID", constraints = ["unique", "immutable"] },
    # the money
    { name = "balance", type = "Decimal", constraints = ["non_negative", "positive"] },
]

[interfaces.PaymentService]
methods = [
    { name = "transfer", params = ["from: AccountId", "amount: Decimal"], returns = "Result<TransactionId, PaymentError>" },
]

[constraints]
functional = ["Balance never goes negative"]
non_functional = []
security = []

[claims.balance_001]
text = "Balance never goes negative"
type = "invariant"
testable = true
`;
