import { parseContract } from "@slipway/languages/micro-contracts/parse";
import { describe, expect, test } from "vitest";
import { failureSummary } from "../escalation/failure-summary.ts";
import { functionPrompt, type AttemptHint } from "./function-prompt.ts";

const target = {
  name: "withdraw",
  signature: "export function withdraw(account: Account, amount: PositiveAmount): Account",
  contract: parseContract("REQUIRES: amount <= account.balance\nENSURES: result.balance >= 0\nPURITY: pure", 1, new Set()),
};
const DEFINITIONS = "interface Account {\n  readonly balance: number;\n}";
const promptWith = (hint: AttemptHint, typeDefinitions = DEFINITIONS) => functionPrompt({ target, typeDefinitions, hint });

describe("the prompt of an attempt", () => {
  test("[CRI-054] it is the function, its signature, contract and types in this order, and the instruction", () => {
    expect(promptWith({ kind: "none" })).toBe(
      [
        "FUNCTION: withdraw",
        "SIGNATURE: export function withdraw(account: Account, amount: PositiveAmount): Account",
        "",
        "CONTRACTS:",
        "  REQUIRES: amount <= account.balance",
        "  ENSURES: result.balance >= 0",
        "  PURITY: pure",
        "",
        "TYPE DEFINITIONS:",
        "  interface Account {",
        "    readonly balance: number;",
        "  }",
        "",
        "IMPLEMENT THE FUNCTION. Output only the function body.",
      ].join("\n"),
    );
  });

  test("[CRI-054] a function that needs no type says so", () => {
    expect(promptWith({ kind: "none" }, "")).toContain("TYPE DEFINITIONS:\n  (none)\n");
  });

  test("[CRI-057] a syntax hint adds the parser's message and nothing else", () => {
    const plain = promptWith({ kind: "none" }).split("\n");
    const hinted = promptWith({ kind: "syntax", message: "Line 1, column 4 of the body: Unexpected token." }).split("\n");
    expect(hinted.filter((line) => !plain.includes(line))).toEqual(["SYNTAX HINT: Line 1, column 4 of the body: Unexpected token."]);
  });

  test("[CRI-057] expanded types change the definitions alone", () => {
    expect(promptWith({ kind: "types" })).toBe(promptWith({ kind: "none" }));
  });

  test("[CRI-123] an escalation adds the summary of the failure, before the instruction", () => {
    const failure = { type: "test" as const, failingTests: [{ test: "keeps money", message: "expected 3, got 2" }] };
    const text = failureSummary({ name: target.name, signature: target.signature, typeContext: DEFINITIONS }, failure);
    const lines = promptWith({ kind: "summary", text }).split("\n");
    expect(lines).toContain("  - keeps money: expected 3, got 2");
    expect(lines.at(-1)).toBe("IMPLEMENT THE FUNCTION. Output only the function body.");
  });
});
