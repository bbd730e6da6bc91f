/** The workflow of one case. */
export const BENCHMARK_CASE = "criticality-benchmark-case";

const CASE = /^case:(.+)$/;

export function caseStep(id: string): string {
  return `case:${id.replace("/", "-")}`;
}

/** The case that a child run is of; null for other child runs. */
export function caseOf(child: string | null): string | null {
  return CASE.exec(child ?? "")?.[1] ?? null;
}
