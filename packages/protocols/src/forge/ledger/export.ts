import type { DatabaseContent } from "@slipway/kernel/record/database/database-file";
import { stringify } from "yaml";
import { LEDGER_INDEXES, LEDGER_TABLES } from "./ddl.ts";
import type { ForgeLedger } from "./ledger.ts";
import type { LedgerRows } from "./ledger-store.ts";
import { isMarker } from "./questions.ts";
import { writeYamlLedger } from "./yaml-document.ts";
import type { CheckRow } from "./rows.ts";

export interface LedgerExport {
  /** For `verification-ledger.db`; null in a run that keeps its ledger as YAML. */
  readonly database: DatabaseContent | null;
  /** For `verification-ledger.yaml`: a summary, or the ledger itself in a run that keeps it as YAML. */
  readonly yaml: string;
}

/** What the run folder shows of a ledger. */
export async function exportLedger(ledger: ForgeLedger, runId: string): Promise<LedgerExport> {
  const rows = await ledger.rows(runId);
  if (ledger.kind === "yaml") {
    const anvil_checks = rows.checks.map((row) => ({ ...row, source: null }));
    return { database: null, yaml: writeYamlLedger({ run_id: runId, anvil_checks, pipeline_telemetry: [...rows.telemetry] }) };
  }
  return { database: ledgerFile(rows), yaml: ledgerSummary(runId, rows) };
}

function ledgerFile({ checks, telemetry }: LedgerRows): DatabaseContent {
  return {
    statements: [...LEDGER_TABLES, ...LEDGER_INDEXES],
    rows: [
      ...checks.map((values) => ({ table: "anvil_checks", values })),
      ...telemetry.map((values) => ({ table: "pipeline_telemetry", values })),
    ],
  };
}

const HEADER = "# Generated from verification-ledger.db, which is the ledger. Changes here have no effect.\n";

/** One entry per task with its rounds, and one per review with its verdicts. */
function ledgerSummary(runId: string, { checks, telemetry }: LedgerRows): string {
  const tasks = Map.groupBy(
    checks.filter(({ phase }) => phase !== "review"),
    ({ task_id }) => task_id,
  );
  const reviews = Map.groupBy(
    checks.filter(({ phase }) => phase === "review"),
    ({ task_id, round }) => `${task_id} ${round}`,
  );
  const verification_ledger = {
    run_id: runId,
    dispatches: telemetry.length,
    tasks: [...tasks].map(([task_id, rows]) => ({
      task_id,
      baseline: countsOf(rows.filter(({ phase }) => phase === "baseline")),
      rounds: [
        ...Map.groupBy(
          rows.filter(({ phase }) => phase === "after"),
          ({ round }) => round,
        ),
      ].map(([round, after]) => ({
        round,
        ...countsOf(after),
        failed_checks: after.filter((row) => row.passed === 0 && !isMarker(row)).map(({ check_name }) => check_name),
        markers: after.filter(isMarker).map(({ check_name }) => check_name),
      })),
    })),
    reviews: [...reviews.values()].map((rows) => ({
      task_id: rows[0]?.task_id ?? "",
      round: rows[0]?.round ?? 1,
      verdicts: rows.map(({ check_name, tool, verdict, severity }) => ({ check_name, model: tool, verdict, severity })),
    })),
  };
  return HEADER + stringify({ verification_ledger }, { lineWidth: 0, aliasDuplicateObjects: false });
}

function countsOf(rows: readonly CheckRow[]) {
  const counted = rows.filter((row) => !isMarker(row));
  const passed = counted.filter((row) => row.passed === 1).length;
  return { total_checks: counted.length, passed, failed: counted.length - passed };
}
