import type { Decision } from "@slipway/kernel/record/decisions/decision";

/** Two or more canonical decisions in force that contradict each other. */
export interface CanonicalConflict {
  /** The blocking entry that says so. */
  readonly contradiction: string;
  readonly why: string;
  readonly decisions: readonly string[];
}

type ConflictView = Pick<Decision, "id" | "constraint" | "confidence" | "status" | "dependencies">;

/** A blocking entry marks the decisions it depends on as contradicting. A conflict is canonical if at least two of them are. */
export function canonicalConflicts(entries: readonly ConflictView[]): CanonicalConflict[] {
  const active = entries.filter(({ status }) => status === "active");
  const canonical = new Set(active.filter(({ confidence }) => confidence === "canonical").map(({ id }) => id));
  return active
    .filter(({ confidence }) => confidence === "blocking")
    .map(({ id, constraint, dependencies }) => ({
      contradiction: id,
      why: constraint,
      decisions: dependencies.filter((dependency) => canonical.has(dependency)),
    }))
    .filter(({ decisions }) => decisions.length > 1);
}
