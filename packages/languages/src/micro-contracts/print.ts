import type { Clause, MicroContract } from "./contract.ts";

/** The value of a clause as it stands after its keyword. */
export function clauseValue(clause: Clause): string {
  switch (clause.kind) {
    case "COMPLEXITY":
      return clause.bound;
    case "PURITY":
      return clause.purity;
    case "CLAIM_REF":
      return clause.claim;
    default:
      return clause.predicate;
  }
}

export function printClause(clause: Clause): string {
  return `${clause.kind}: ${clauseValue(clause)}`;
}

/** One clause a line. `parseContract` reads it back. */
export function printContract({ clauses }: MicroContract): string {
  return clauses.map(printClause).join("\n");
}
