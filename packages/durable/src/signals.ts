import type { DatabaseSync } from "node:sqlite";
import { canonicalJson } from "./canonical.ts";
import type { Sqlite } from "./sqlite.ts";

export interface Signal {
  readonly runId: string;
  readonly name: string;
  readonly value: unknown;
  readonly sentBy: string;
  readonly at: number;
}

/** Synchronous, for a transaction of the caller. */
export function insertSignal(database: DatabaseSync, { runId, name, value, sentBy, at }: Signal): void {
  const sql = "INSERT INTO signals (run_id, name, value, sent_by, at) VALUES (?, ?, ?, ?, ?)";
  database.prepare(sql).run(runId, name, canonicalJson(value), sentBy, Math.floor(at));
}

export interface PendingSignal {
  readonly id: number;
  readonly value: string;
  readonly sent_by: string;
}

/** The oldest unconsumed signal. */
export function nextSignal(sqlite: Sqlite, runId: string, name: string): Promise<PendingSignal | undefined> {
  const sql =
    "SELECT rowid AS id, value, sent_by FROM signals WHERE run_id = ? AND name = ? AND consumed_at IS NULL ORDER BY rowid LIMIT 1";
  return sqlite.reading(() => sqlite.prepare(sql).get(runId, name) as unknown as PendingSignal | undefined);
}

/** Inside the transaction that journals the result. */
export function consumeWithin(sqlite: Sqlite, id: number, at: number): void {
  sqlite.prepare("UPDATE signals SET consumed_at = ? WHERE rowid = ?").run(Math.floor(at), id);
}
