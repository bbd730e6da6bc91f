import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import { ratioOf, type Count, type CoverageCounts } from "./coverage.ts";
import type { CoverageRatios } from "./precedence.ts";
import { GATES_FILE } from "../../../config/gates.ts";

export type ThresholdVerdict = "pass" | "fail" | "na";

export interface Attainment {
  readonly attained: number | null;
  readonly target: number;
  readonly reached: boolean;
}

export interface CoverageResult {
  readonly line: number | null;
  readonly branch: number | null;
  readonly lines: Count | null;
  readonly branches: Count | null;
  /** The values of `gates.coverage_line` and `gates.coverage_branch`; `na` without a minimum. */
  readonly verdicts: { readonly line: ThresholdVerdict; readonly branch: ThresholdVerdict };
  readonly minimums: CoverageRatios;
  /** Reported, never blocking. */
  readonly targets: { readonly line: Attainment | null; readonly branch: Attainment | null };
}

const METRICS = ["line", "branch"] as const;

/** Compares measured with required coverage. A required metric that is missing fails. */
export function judgeCoverage(counts: CoverageCounts, minimums: CoverageRatios, targets: CoverageRatios): CoverageResult {
  const measured = { line: ratioOf(counts.lines), branch: ratioOf(counts.branches) };
  const verdict = (metric: "line" | "branch"): ThresholdVerdict => {
    const required = minimums[metric];
    if (required === undefined) return "na";
    const ratio = measured[metric];
    return ratio !== null && ratio >= required ? "pass" : "fail";
  };
  const attainment = (metric: "line" | "branch"): Attainment | null => {
    const target = targets[metric];
    if (target === undefined) return null;
    const attained = measured[metric];
    return { attained, target, reached: attained !== null && attained >= target };
  };
  return {
    ...measured,
    ...counts,
    minimums,
    verdicts: { line: verdict("line"), branch: verdict("branch") },
    targets: { line: attainment("line"), branch: attainment("branch") },
  };
}

export function coverageFailure(result: CoverageResult): Failure | null {
  const missed = METRICS.filter((metric) => result.verdicts[metric] === "fail");
  if (missed.length === 0) return null;
  const sentences = missed.map((metric) => {
    const required = percent(result.minimums[metric] ?? 0);
    const measured = result[metric];
    return measured === null
      ? `${metric} coverage is missing, ${required} is required`
      : `${metric} coverage is ${percent(measured)}, ${required} is required`;
  });
  return belowMinimum(`Coverage is below its minimum: ${sentences.join("; ")}.`, result, [
    "Add tests for uncovered code; a plan cannot lower the minimum.",
  ]);
}

/** For a missing or unreadable report. */
export function unreadableCoverage(
  reason: string,
  minimums: CoverageRatios,
  targets: CoverageRatios,
): { result: CoverageResult; failure: Failure } {
  const judged = judgeCoverage({ lines: null, branches: null }, minimums, targets);
  const bothWithoutMinimum = minimums.line === undefined && minimums.branch === undefined;
  const result = bothWithoutMinimum ? { ...judged, verdicts: { line: "fail", branch: judged.verdicts.branch } as const } : judged;
  const actions = [`Check parsers.coverage in ${GATES_FILE}: its path must name the report that a step of this mode writes.`];
  return { result, failure: belowMinimum(reason, result, actions) };
}

function belowMinimum(message: string, { line, branch, minimums }: CoverageResult, suggested_next_actions: string[]): Failure {
  const details = { measured: { line, branch }, required: minimums, file: GATES_FILE, suggested_next_actions };
  return toFailure(new SlipwayError("coverage_below_minimum", message, details));
}

/** Rounded down, so that it never shows a minimum that it misses. */
function percent(ratio: number): string {
  return `${(Math.floor(ratio * 10_000) / 100).toFixed(2)} %`;
}
