import type { CheckRow } from "./rows.ts";

/** The `evidence_gate` numbers of a verification report, as the ledger has them. */
export interface EvidenceCounts {
  readonly total_checks: number;
  readonly passed: number;
  readonly failed: number;
}

/** A check that passed on the base and fails after the change. */
export type LedgerRegression = Pick<CheckRow, "task_id" | "check_name" | "round" | "output_snippet">;
/** A check that fails after the change and failed on the base. */
export type KnownFailure = LedgerRegression;

export interface StepSeconds {
  readonly step: string;
  /** Null if no dispatch of the step has ended. */
  readonly avg_seconds: number | null;
}

export function isMarker({ check_name, task_id }: Pick<CheckRow, "check_name" | "task_id">): boolean {
  return check_name === "tier3-infeasible" || check_name === "baseline-discrepancy" || check_name === `revert-${task_id}`;
}

const NO_MARKER = "a.check_name NOT IN ('tier3-infeasible', 'baseline-discrepancy', 'revert-' || a.task_id)";
const IN_ROUND = "a.run_id = :run_id AND a.task_id = :task_id AND a.phase = 'after' AND a.round = :round";

/** Whether the same check of the same task has a baseline row with this result. */
const baseline = (passed: 0 | 1) =>
  `EXISTS (SELECT 1 FROM anvil_checks AS b WHERE b.run_id = a.run_id AND b.task_id = a.task_id
    AND b.phase = 'baseline' AND b.check_name = a.check_name AND b.passed = ${passed})`;

/** A check with baselines of both kinds passed on the base at least once, so its failure is not excused. */
const EXCUSED = `(${baseline(0)} AND NOT ${baseline(1)})`;

export const FAILED_AFTER_SQL = `SELECT COUNT(*) AS count FROM anvil_checks AS a
  WHERE ${IN_ROUND} AND a.passed = 0 AND ${NO_MARKER} AND NOT ${EXCUSED}`;

const shown = "a.task_id, a.check_name, a.round, a.output_snippet";

export const REGRESSIONS_SQL = `SELECT ${shown} FROM anvil_checks AS a
  WHERE ${IN_ROUND} AND a.passed = 0 AND ${NO_MARKER} AND ${baseline(1)} ORDER BY a.id`;

export const KNOWN_FAILURES_SQL = `SELECT ${shown} FROM anvil_checks AS a
  WHERE ${IN_ROUND} AND a.passed = 0 AND ${NO_MARKER} AND ${EXCUSED} ORDER BY a.id`;

export const COUNTS_SQL = `SELECT COUNT(*) AS total_checks, COUNT(CASE WHEN a.passed = 1 THEN 1 END) AS passed,
  COUNT(CASE WHEN a.passed = 0 THEN 1 END) AS failed FROM anvil_checks AS a WHERE ${IN_ROUND} AND ${NO_MARKER}`;

export const EVIDENCE_SQL = `SELECT phase, check_name, tool, command, exit_code, passed, verdict, severity, round, output_snippet
  FROM anvil_checks WHERE task_id = :task_id AND run_id = :run_id ORDER BY phase DESC, id`;

export const DISPATCHES_SQL = "SELECT COUNT(*) AS count FROM pipeline_telemetry WHERE run_id = :run_id";

export const STEP_SECONDS_SQL = `SELECT step, AVG(JULIANDAY(completed_at) - JULIANDAY(started_at)) * 86400 AS avg_seconds
  FROM pipeline_telemetry WHERE run_id = :run_id GROUP BY step ORDER BY step`;

export const DISPATCH_ERRORS_SQL = `SELECT step, agent, status, notes
  FROM pipeline_telemetry WHERE run_id = :run_id AND status = 'ERROR' ORDER BY id`;
