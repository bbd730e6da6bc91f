import type { Contract } from "@slipway/languages/contracts/schema";
import { NO_CHANGE } from "../exceptions/testing/samples.ts";
import { codeOf, considering, COVERAGE, examplesOf, planOf, proposalOf, testsOf } from "../engineering/testing/modules.ts";

/** An interface change that a Proposer asks for. */
export const change = (target_module = "MM-twice@1.0.0") => ({
  type: "INTERFACE_CHANGE",
  exception_type: "INCOMPLETE",
  target_module,
  reason: "numbers that are too large become infinite",
  evidence: ["the contract of MM-twice names one error"],
  proposed_delta: { ...NO_CHANGE, added_error_surfaces: [{ name: "LargeError", when: "n is above 1e300", surface: "exception" }] },
  compatibility: "BACKWARD_COMPATIBLE",
  urgency: "BLOCKING",
});

/** The module with the requested error. */
export function deliverLarge(shown: Record<string, string>) {
  const contract = JSON.parse(shown["module contract"] ?? "{}") as Contract;
  const [, criterion] = /## Acceptance Criteria\n- (.*)/.exec(shown["task"] ?? "") ?? [];
  const files = {
    "implementation/index.ts": codeOf()
      .replace("  return", `  if (n > 1e300) throw new LargeError("n is too large");\n  return`)
      .replace("export class", "export class LargeError extends Error {}\nexport class"),
    "tests/module.test.ts": `${testsOf().replace("NegativeError }", "NegativeError, LargeError }")}test("refuses a large number", () => assert.throws(() => twice(1e301), LargeError));\n`,
    "examples.md": `${examplesOf()}\n## LargeError\n\`\`\`ts\ntwice(1e301)\n\`\`\`\n\`\`\`ts\nLargeError: n is too large\n\`\`\`\n`,
  };
  return proposalOf(contract, files, {
    acceptance_checks: [`${criterion}. Test: refuses a large number`],
    coverage: [...COVERAGE, { category: "error surface", item: "LargeError", test: "refuses a large number" }],
  });
}

export const calling = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);
/** The same, with the current version considered. */
export const callingAgain = (shown: Record<string, string>) =>
  considering(calling, JSON.stringify(shown).includes("MM-twice@1.1.0") ? "MM-twice@1.1.0" : "MM-twice@1.0.0");
export const GOOD = { verdict: "PASS", objections: [] };
export const AGREED = { decision: "APPROVE", rationale: "the evidence justifies it" };
export const AGAINST = { decision: "REJECT", rationale: "callers can look themselves" };
