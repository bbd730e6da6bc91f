import type { ConfidenceLevel } from "../schemas/enums.ts";

/** What lowers the confidence of a run. */
export const RUN_FACTS = [
  "verification-exhausted",
  "code-review-exhausted",
  "design-review-exhausted",
  "research-reduced",
  "yaml-ledger",
  "one-model",
  "knowledge-failed",
  "tier3-infeasible",
  "dissent",
  "baseline-discrepancy",
  "known-issue",
] as const;
export type RunFact = (typeof RUN_FACTS)[number];

const LOW: readonly RunFact[] = ["verification-exhausted", "code-review-exhausted"];

/** Computed before Step 8, so that Step 9 is decided even without the knowledge agent. */
export function runConfidence(facts: readonly RunFact[]): ConfidenceLevel {
  if (facts.some((fact) => LOW.includes(fact))) return "Low";
  return facts.length === 0 ? "High" : "Medium";
}

/** The seven degradations: each leaves this warning, and the run continues. */
export const DEGRADATIONS = {
  "yaml-ledger": "SQLite cannot be used: evidence is kept in verification-ledger.yaml, and independent SQL verification is lost.",
  "one-model": "Model diversity was not achieved: one model reviewed three times, each time with another focus.",
  "research-reduced": "Fewer researchers than planned gave results: the quality of the research is reduced.",
  "knowledge-failed": "The knowledge agent failed: the run goes on without its output.",
  "tier3-infeasible": "No runtime check was possible: only the evidence of Tiers 1 and 2 counts.",
  "verification-exhausted": "Verification failed in its last iteration: the findings are documented and the confidence is Low.",
  "code-review-exhausted": "The code review was not approved in its last round: its findings are known issues and the confidence is Low.",
} as const satisfies Partial<Record<RunFact, string>>;
export type Degradation = keyof typeof DEGRADATIONS;
