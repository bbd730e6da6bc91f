import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { claimTestSchema, type StructuredClaim } from "../property-tests/claim.ts";
import { projectFolder, testMachine } from "../testing/adapter-suite.ts";
import { skipWithout, testSandbox } from "../testing/tools-here.ts";
import { pythonAdapter } from "./adapter.ts";

const adapter = pythonAdapter(testMachine());
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const account = (withdraw: string) => `class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance

    def deposit(self, amount: int) -> int:
        if amount <= 0:
            raise ValueError("amount")
        self.balance += amount
        return self.balance

    def withdraw(self, amount: int) -> None:
        ${withdraw}
`;
const CHECKED = account(
  'if amount > self.balance or amount <= 0:\n            raise ValueError("balance")\n        self.balance -= amount',
);
const UNCHECKED = account("self.balance -= amount");
const claim = (type: StructuredClaim["type"], parts: unknown): StructuredClaim => ({
  id: "balance_001",
  text: "A balance\nnever drops below zero.",
  type,
  subject: "Account",
  predicate: "prose",
  scope: "all",
  testable: true,
  requires_mocking: [],
  suggested_generators: [],
  test: claimTestSchema.parse(parts),
});
const SETUP = [{ name: "account", value: "Account(10)" }];
const AMOUNT = [{ name: "amount", type: "int" }];

const CLAIMS: readonly (readonly [StructuredClaim["type"], unknown])[] = [
  [
    "invariant",
    {
      setup: [...SETUP, { name: "least", value: "10" }],
      operations: [
        { call: "account.deposit(amount)", when: "amount > 0", inputs: AMOUNT, update: { name: "least", value: "min(least, result)" } },
        { call: "account.withdraw(amount)", inputs: AMOUNT, update: { name: "least", value: "min(least, account.balance)" } },
      ],
      assert: "least >= 0 and account.balance >= least",
    },
  ],
  [
    "invariant",
    {
      setup: SETUP,
      operations: [
        { call: "account.deposit(amount)", when: "amount > 0", inputs: AMOUNT },
        { call: "account.withdraw(amount)", inputs: AMOUNT },
      ],
      assert: "account.balance >= 0",
    },
  ],
  [
    "negative",
    {
      inputs: AMOUNT,
      setup: SETUP,
      operations: [{ call: "account.deposit(5)" }, { call: "account.withdraw(amount)", when: "amount > 15" }],
      assert: "account.balance == 15",
    },
  ],
];

describe("a claim with an executable part", () => {
  test.for(CLAIMS)("that is %s passes the right code and fails the wrong one", { timeout: 120_000 }, async ([type, parts], context) => {
    const made = adapter.claimTest({ "src/bank.py": CHECKED }, claim(type, parts));
    expect(made.untested).toEqual([]);
    expect(made.tests).toEqual(["test_claim_balance_001"]);
    await skipWithout(context, adapter, "python3", "pytest", "hypothesis");
    const run = (code: string) => adapter.runTests(projectFolder({ "src/bank.py": code, [made.path]: made.text }), { sandbox });
    expect(await run(CHECKED)).toMatchObject({ tests: [{ result: "PASS" }], broken: null });
    expect(await run(UNCHECKED)).toMatchObject({ tests: [{ result: "FAIL" }], broken: null });
  });

  test("that is behavioral carries its operations out in order", { timeout: 120_000 }, async (context) => {
    await skipWithout(context, adapter, "python3", "pytest", "hypothesis");
    const parts = { setup: SETUP, operations: [{ call: "account.deposit(5)" }, { call: "account.deposit(1)" }], assert: "result == 16" };
    const made = adapter.claimTest({ "src/bank.py": CHECKED }, claim("behavioral", parts));
    expect(await adapter.runTests(projectFolder({ "src/bank.py": CHECKED, [made.path]: made.text }), { sandbox })).toMatchObject({
      tests: [{ result: "PASS" }],
    });
  });

  test("that is no code, or has a type whose values cannot be generated, is untested with the reason", () => {
    const reason = (parts: unknown) => adapter.claimTest({ "src/bank.py": CHECKED }, claim("behavioral", parts)).untested[0]?.reason;
    expect(reason({ operations: [{ call: "the account is opened" }] })).toContain("does not parse");
    expect(reason({ operations: [{ call: "f(x)", inputs: [{ name: "x", type: "Callable" }] }] })).toContain("Callable");
  });
});
