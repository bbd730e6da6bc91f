import type { Failure } from "@slipway/durable/errors";

export type TrialStatus = "pass" | "warn" | "fail";

/**
 * What a gate's result on the base means for coming changes. Only failures that no change can fix fail the trial: a failed step, or a
 * report that is missing or unreadable. A change may fix low coverage or a suite without tests.
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
