import type { SQLInputValue } from "node:sqlite";
import { SlipwayError } from "./errors.ts";
import type { RunStatus } from "./status.ts";
import type { Sqlite } from "./sqlite.ts";
import type { RunRow } from "./tables.ts";

export interface RunInfo {
  readonly runId: string;
  readonly rootRunId: string;
  readonly parentRunId: string | null;
  readonly workflow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly prunedAt: number | null;
  readonly crashes: number;
  readonly holder: { readonly host: string; readonly pid: number; readonly expiresAt: number } | null;
  readonly request: "stop" | "cancel" | null;
}

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly rootRunId?: string;
  /** Excludes children. */
  readonly rootsOnly?: boolean;
  readonly limit?: number;
}

const ALL = -1;

/** Newest first. */
export function listRuns(sqlite: Sqlite, filter: RunFilter): Promise<RunInfo[]> {
  const conditions: string[] = ["1"];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...more: SQLInputValue[]) => (conditions.push(condition), values.push(...more));
  if (filter.status !== undefined) add(`status IN (${filter.status.map(() => "?").join(", ")})`, ...filter.status);
  if (filter.workflow !== undefined) add("workflow = ?", filter.workflow);
  if (filter.rootRunId !== undefined) add("root_run_id = ?", filter.rootRunId);
  if (filter.rootsOnly === true) add("parent_run_id IS NULL");
  const sql = `SELECT * FROM runs WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, run_id LIMIT ?`;
  return sqlite.reading(() => (sqlite.prepare(sql).all(...values, filter.limit ?? ALL) as unknown as RunRow[]).map(runInfo));
}

export function getRun(sqlite: Sqlite, runId: string): Promise<RunRow> {
  return sqlite.reading(() => runWithin(sqlite, runId));
}

export function findRun(sqlite: Sqlite, runId: string): Promise<RunRow | undefined> {
  return sqlite.reading(() => findWithin(sqlite, runId));
}

export function runWithin(sqlite: Sqlite, runId: string): RunRow {
  const row = findWithin(sqlite, runId);
  if (row !== undefined) return row;
  throw new SlipwayError("run_not_found", `There is no run ${runId}.`, { run_id: runId, suggested_next_actions: ["slipway status"] });
}

export function findWithin(sqlite: Sqlite, runId: string): RunRow | undefined {
  return sqlite.prepare("SELECT * FROM runs WHERE run_id = ?").get(runId) as unknown as RunRow | undefined;
}

/** Inside the caller's transaction, which also appends the "started" event. */
export function insertRun(
  sqlite: Sqlite,
  run: Pick<RunRow, "run_id" | "root_run_id" | "parent_run_id" | "workflow" | "version" | "input_digest" | "status" | "created_at">,
): void {
  const sql = `INSERT INTO runs (run_id, root_run_id, parent_run_id, workflow, version, input_digest, status, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
  sqlite
    .prepare(sql)
    .run(run.run_id, run.root_run_id, run.parent_run_id, run.workflow, run.version, run.input_digest, run.status, run.created_at);
}

/** A run and its descendants: the id of a child is its parent's id, a slash and its name. */
export function treeWithin(sqlite: Sqlite, runId: string): RunRow[] {
  const sql = "SELECT * FROM runs WHERE run_id = ?1 OR (run_id >= ?1 || '/' AND run_id < ?1 || '0') ORDER BY run_id";
  return sqlite.prepare(sql).all(runId) as unknown as RunRow[];
}

export function finishWithin(sqlite: Sqlite, runId: string, status: RunStatus, at: number): void {
  sqlite.prepare("UPDATE runs SET status = ?, finished_at = ?, request = NULL WHERE run_id = ?").run(status, at, runId);
}

export function runInfo(row: RunRow): RunInfo {
  const held = row.lease_host !== null && row.lease_pid !== null && row.lease_until !== null;
  return {
    runId: row.run_id,
    rootRunId: row.root_run_id,
    parentRunId: row.parent_run_id,
    workflow: row.workflow,
    version: row.version,
    status: row.status,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    prunedAt: row.pruned_at,
    crashes: row.crashes,
    holder: held ? { host: String(row.lease_host), pid: Number(row.lease_pid), expiresAt: Number(row.lease_until) } : null,
    request: row.request,
  };
}
