import type { Failure } from "@slipway/durable/errors";

export type TrialStatus = "pass" | "warn" | "fail";

/**
 * What a gate's result on the base says about the changes to come. Only what no change can pass counts as red: a step that fails, a
 * report that is missing or cannot be read. Coverage that is too low and a suite without tests may be just what a change repairs.
 */
export function verdictOf(failure: Failure | null): TrialStatus {
  if (failure === null) return "pass";
  if (failure.code === "no_tests_ran") return failure.details["reports"] === 0 ? "fail" : "warn";
  return failure.code === "coverage_below_minimum" && wasMeasured(failure) ? "warn" : "fail";
}

type Ratios = Readonly<Record<string, number | null | undefined>>;

function wasMeasured({ details }: Failure): boolean {
  const measured = (details["measured"] ?? {}) as Ratios;
  const required = Object.entries((details["required"] ?? {}) as Ratios).filter(([, ratio]) => ratio != null);
  return required.length > 0 && required.every(([metric]) => measured[metric] != null);
}
