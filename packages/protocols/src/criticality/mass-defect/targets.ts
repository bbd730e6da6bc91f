import type { ComplexityReading } from "@slipway/languages/analysis/complexity";
import type { CriticalityConfig } from "../config/config.ts";

/** `[mass_defect.targets]`. A value at the limit is within it. */
export type ReductionTargets = CriticalityConfig["mass_defect"]["targets"];

export interface UnmetTarget {
  readonly target: keyof ReductionTargets;
  readonly limit: number;
  /** Null for a coverage that could not be measured. */
  readonly measured: number | null;
  /** Null for the coverage, which is of the whole code. */
  readonly function: string | null;
}

const MEASURES = {
  max_cyclomatic_complexity: "cyclomatic",
  max_function_length_lines: "lines",
  max_nesting_depth: "nesting",
} as const satisfies Partial<Record<keyof ReductionTargets, keyof ComplexityReading>>;

/** The targets that one function exceeds. */
export function exceededTargets(id: string, reading: ComplexityReading, targets: ReductionTargets): UnmetTarget[] {
  return (Object.keys(MEASURES) as (keyof typeof MEASURES)[]).flatMap((target) => {
    const [limit, measured] = [targets[target], reading[MEASURES[target]]];
    return measured > limit ? [{ target, limit, measured, function: id }] : [];
  });
}

export function unmetCoverage(measured: number | null, { min_test_coverage: limit }: ReductionTargets): UnmetTarget[] {
  return measured !== null && measured >= limit ? [] : [{ target: "min_test_coverage", limit, measured, function: null }];
}
