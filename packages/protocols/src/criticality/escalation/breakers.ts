import { z } from "zod";
import { FAILURE_TYPES, type FailureType } from "./failures.ts";

export const DEFECT_CONDITIONS = ["module_escalation_rate", "phase_failure_rate", "coherence", "function_exhausted"] as const;

/** What Lattice is told about a structure that could not be filled. It has no field for code. */
export const structuralDefectSchema = z.strictObject({
  condition: z.enum(DEFECT_CONDITIONS),
  /** Measured, from 0 to 1; null for a condition without a rate. */
  rate: z.number().nullable(),
  functions: z.array(z.string()),
  modules: z.array(z.string()),
  failureTypes: z.array(z.enum(FAILURE_TYPES)),
});

export type StructuralDefectReport = z.output<typeof structuralDefectSchema>;

/** One function of the lattice, and how far Injection got with it. */
export interface FunctionRecord {
  readonly id: string;
  readonly module: string;
  readonly escalated: boolean;
  /** All tiers or all attempts are exhausted. */
  readonly failed: boolean;
  readonly failureTypes: readonly FailureType[];
}

export interface BreakerRates {
  readonly module_escalation_rate: number;
  readonly phase_failure_rate: number;
}

/** `functions` are all of the lattice, tried or not: they are the denominators. The first breaker that trips, or null. */
export function trippedBreaker(functions: readonly FunctionRecord[], rates: BreakerRates): StructuralDefectReport | null {
  for (const [, ofModule] of Map.groupBy(functions, ({ module }) => module)) {
    const escalated = ofModule.filter((one) => one.escalated);
    const rate = escalated.length / ofModule.length;
    if (rate > rates.module_escalation_rate) return structuralDefectReport("module_escalation_rate", rate, escalated);
  }
  const failed = functions.filter((one) => one.failed);
  const rate = failed.length / Math.max(functions.length, 1);
  return rate > rates.phase_failure_rate ? structuralDefectReport("phase_failure_rate", rate, failed) : null;
}

export function structuralDefectReport(
  condition: StructuralDefectReport["condition"],
  rate: number | null,
  functions: readonly FunctionRecord[],
): StructuralDefectReport {
  return {
    condition,
    rate,
    functions: functions.map(({ id }) => id),
    modules: unique(functions.map(({ module }) => module)),
    failureTypes: unique(functions.flatMap(({ failureTypes }) => failureTypes)),
  };
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
