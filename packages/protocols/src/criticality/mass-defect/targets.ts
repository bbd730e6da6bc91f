import type { ComplexityReading } from "@slipway/languages/analysis/complexity";
import { z } from "zod";

/** `[mass_defect.targets]`. A value at the limit is within it. */
export const reductionTargetsSchema = z.strictObject({
  max_cyclomatic_complexity: z.int().min(1).default(10),
  max_function_length_lines: z.int().min(1).default(50),
  max_nesting_depth: z.int().min(0).default(4),
  min_test_coverage: z.number().min(0).max(1).default(0.8),
});

export type ReductionTargets = z.output<typeof reductionTargetsSchema>;

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
