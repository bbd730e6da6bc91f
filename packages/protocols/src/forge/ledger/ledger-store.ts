import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { GateQuestion, GateResultRow } from "./gates.ts";
import type { CheckRow, DispatchKey, DispatchRow, NewCheckRow, NewDispatchRow } from "./rows.ts";
import type { EvidenceCounts, KnownFailure, LedgerRegression, StepSeconds } from "./questions.ts";

export interface LedgerRows {
  readonly checks: readonly CheckRow[];
  readonly telemetry: readonly DispatchRow[];
}

export interface TaskRound {
  readonly run_id: string;
  readonly task_id: string;
  readonly round: number;
}

/** What a person reads about one row of evidence, in this order of columns. */
export type EvidenceRow = Pick<
  CheckRow,
  "phase" | "check_name" | "tool" | "command" | "exit_code" | "passed" | "verdict" | "severity" | "round" | "output_snippet"
>;

export interface TelemetryReport {
  readonly dispatches: number;
  readonly seconds_per_step: readonly StepSeconds[];
  readonly errors: readonly Pick<DispatchRow, "step" | "agent" | "status" | "notes">[];
}

/** Where a ledger keeps its rows. Writes run inside the transaction of an operation. */
export interface LedgerStore {
  readonly kind: "sqlite" | "yaml";
  /** Adds a row. The same observation for the same task, phase and round is stored once: its row is returned again. */
  append(tx: Tx, row: NewCheckRow, source: string | null): Promise<CheckRow>;
  findVerdict(tx: Tx, key: Pick<CheckRow, "run_id" | "task_id" | "check_name" | "round">): Promise<CheckRow | null>;
  findDispatch(tx: Tx, key: DispatchKey): Promise<DispatchRow | null>;
  addDispatch(tx: Tx, row: NewDispatchRow): Promise<DispatchRow>;
  endDispatch(tx: Tx, row: DispatchRow): Promise<void>;
  /** All rows of a run, by id. */
  rows(db: Db, runId: string): Promise<LedgerRows>;
  /** Throws `evidence_tampered` if rows of the run are not as the journal recorded them. */
  assertRecorded(db: Db, runId: string): Promise<void>;
  gate(db: Db, question: GateQuestion): Promise<GateResultRow>;
  evidence(db: Db, task: Pick<TaskRound, "run_id" | "task_id">): Promise<EvidenceRow[]>;
  counts(db: Db, round: TaskRound): Promise<EvidenceCounts>;
  regressions(db: Db, round: TaskRound): Promise<LedgerRegression[]>;
  knownFailures(db: Db, round: TaskRound): Promise<KnownFailure[]>;
  telemetry(db: Db, runId: string): Promise<TelemetryReport>;
}
