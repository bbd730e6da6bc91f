import type { ReduceResult, ReductionEnd } from "./reduce.ts";
import type { UnmetTarget } from "./targets.ts";

const ENDS: Readonly<Record<ReductionEnd, string>> = {
  satisfied: "no target is exceeded and no smell is left",
  exhausted: "no applicable pattern is left",
  diminishing_returns: "a full pass accepted no transformation",
};

/** What the completion summary says about the reduction. */
export function reductionSummary({
  accepted,
  reverted,
  ended,
  unmet,
}: Pick<ReduceResult, "accepted" | "reverted" | "ended" | "unmet">): string[] {
  return [
    `Code reduction: ${accepted.length} transformations accepted, ${reverted.length} reverted; ${ENDS[ended]}.`,
    ...(unmet.length === 0 ? ["All targets are met."] : unmet.map(unmetLine)),
  ];
}

function unmetLine({ target, limit, measured, function: id }: UnmetTarget): string {
  const found = measured === null ? "not measured" : String(measured);
  return `Unmet target ${target} = ${limit}: ${id === null ? found : `${id} has ${found}`}.`;
}
