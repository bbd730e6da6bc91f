/** The standard of a challenge. Only the Challenger sees the texts; the other roles see the numbers. */
export const RUBRIC = {
  R1: "Contract conformance: inputs, outputs, error surfaces, effects and modes were each verified. One that was not verified means NOT_MET. A missing or incomplete examples.md means NOT_MET.",
  R2: "Test coverage: at least one test for each input constraint, output invariant and error surface, and one for the purpose as a whole; all of them through the public surface only.",
  R3: "Error handling: every declared error surface is handled, and no reachable failure is left undeclared.",
  R4: "Dependencies: used only through their published contracts, at the fingerprints that were locked.",
  R5: "Acceptance criteria: each one can be traced to a test, an assertion or an output that can be checked. A claim is not enough.",
  R6: "Decomposition: the module meets every point of the decomposition rubric.",
} as const;

export type RubricCriterion = keyof typeof RUBRIC;
export const CRITERIA = Object.keys(RUBRIC) as [RubricCriterion, ...RubricCriterion[]];

export const DECOMPOSITION_RUBRIC = [
  "It is one behaviour from input to output that one sentence describes.",
  "Its inputs, outputs and errors are explicit.",
  "It adds at most one public contract surface.",
  "It ships independently: its tests are its own and look at it from outside.",
  "It depends on others only through their contracts.",
] as const;

export function rubricText(): string {
  return Object.entries(RUBRIC)
    .map(([criterion, text]) => `${criterion} ${text}`)
    .join("\n");
}
