import type { ReduceResult, ReductionEnd } from "./reduce.ts";

const ENDS: Readonly<Record<ReductionEnd, string>> = {
  satisfied: "no target is exceeded and no smell is left",
  exhausted: "no applicable pattern is left",
  diminishing_returns: "a full pass accepted no transformation",
};

/** How the phase ended. The targets that are not met follow with the end of the run. */
export function reductionText({
  accepted,
  reverted,
  ended,
  unmet,
}: Pick<ReduceResult, "accepted" | "reverted" | "ended" | "unmet">): string {
  const targets =
    unmet.length === 0 ? "all targets are met" : `${unmet.length} ${unmet.length === 1 ? "target is" : "targets are"} not met`;
  return `${accepted.length} transformations accepted, ${reverted.length} reverted; ${ENDS[ended]}; ${targets}`;
}
