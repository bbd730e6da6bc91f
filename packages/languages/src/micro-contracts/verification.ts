import type { Clause } from "./contract.ts";
import { witnessedPredicate } from "./predicates.ts";

/** How each category of clause is verified. */
export const VERIFICATION_METHODS = {
  "type-witnessed precondition": "compiler",
  "runtime precondition": "generated test",
  postcondition: "generated test",
  invariant: "property test",
  complexity: "benchmark",
  purity: "static analysis",
} as const;

type ContractCategory = keyof typeof VERIFICATION_METHODS;
export type VerificationMethod = (typeof VERIFICATION_METHODS)[ContractCategory];

/** Null for CLAIM_REF, which states nothing to verify. */
function contractCategory(clause: Clause): ContractCategory | null {
  switch (clause.kind) {
    case "REQUIRES":
      return witnessedPredicate(clause.predicate) !== null ? "type-witnessed precondition" : "runtime precondition";
    case "ENSURES":
      return "postcondition";
    case "INVARIANT":
      return "invariant";
    case "COMPLEXITY":
      return "complexity";
    case "PURITY":
      return "purity";
    case "CLAIM_REF":
      return null;
  }
}

export function verificationOf(clause: Clause): VerificationMethod | null {
  const category = contractCategory(clause);
  return category === null ? null : VERIFICATION_METHODS[category];
}
