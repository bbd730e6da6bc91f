import type { Contract } from "@slipway/languages/contracts/schema";
import { APPROVE, challengeOf, planOf, proposalOf } from "../engineering/testing/modules.ts";
import { sampleSpec, sampleTask } from "../product/testing/specs.ts";
import type { Parts } from "./works.ts";

const acceptance_criteria = ["returns the double of a number", "raises NegativeError for a negative number"];

/** Two tasks; the second depends on the first. */
export const NUMBERS = sampleSpec([
  sampleTask(1, { name: "Double", acceptance_criteria }),
  sampleTask(2, { name: "Double again", acceptance_criteria, depends_on: ["TSK-001"] }),
]);

export const FIRST = "T-reading-statements-import-a-statement-001";
export const SECOND = "T-reading-statements-import-a-statement-002";

const CALLING = `import { twice } from "#MM-twice";

export class NegativeError extends Error {}

export function quad(n: number): number {
  if (n < 0) throw new NegativeError("n is negative");
  return twice(n);
}
`;

/** A Proposer that delivers the module its contract describes. */
export function deliver(shown: Record<string, string>) {
  const contract = JSON.parse(shown["module contract"] ?? "{}") as Contract;
  const files = contract.name === "quad" ? { "implementation/index.ts": CALLING } : {};
  const [first, second] = acceptance_criteria;
  return proposalOf(contract, files, { acceptance_checks: [`${first}. Test: doubles`, `${second}. Test: refuses a negative number`] });
}

export const OBJECTION = { invariant: "error surfaces", evidence: "infinity is doubled to infinity", required_change: "refuse it" };
export const FAIL = challengeOf({ R3: "a number that is not finite is an error nobody declared" }, [OBJECTION]);
export const PASS = challengeOf();

/** Every role succeeds, except that the first proposal is sent back once. */
export const PARTS: Parts = {
  "product-owner": [{ calls: [{ tool: "emit_structured_spec", spec: NUMBERS }] }],
  planner: [planOf(["MM-twice"]), planOf(["MM-quad", ["MM-twice@^1.0.0"]])],
  proposer: [deliver],
  challenger: [FAIL, PASS],
  arbiter: [APPROVE],
};
