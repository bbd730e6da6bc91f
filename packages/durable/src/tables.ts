import type { DatabaseSync } from "node:sqlite";
import type { JournalEvent } from "./chain.ts";
import { SlipwayError } from "./errors.ts";
import type { RunStatus } from "./status.ts";
import type { Sqlite } from "./sqlite.ts";

/** The engine's tables as Kysely types, so that the kernel can write them inside its own transactions. */
export interface DurableTables {
  runs: RunRow;
  /** The journals of all streams. Append only, with `eventHash`; a trigger updates `heads`. */
  events: JournalEvent;
  signals: SignalRow;
  heads: HeadRow;
}

export interface RunRow {
  run_id: string;
  /** The run that holds the lease for the whole tree; a root names itself. */
  root_run_id: string;
  parent_run_id: string | null;
  workflow: string;
  version: string;
  input_digest: string;
  status: RunStatus;
  created_at: number;
  finished_at: number | null;
  pruned_at: number | null;
  /** Raised at every change of owner; each write of an owner is conditional on it. Only the root's epoch counts. */
  epoch: number;
  lease_engine: string | null;
  lease_host: string | null;
  lease_pid: number | null;
  lease_process_start: string | null;
  lease_until: number | null;
  /** Consecutive owners that died without a new event, and the tree's number of events at the last such death. */
  crashes: number;
  crash_mark: number;
  request: "stop" | "cancel" | null;
  request_reason: string | null;
  request_by: string | null;
}

/**
 * An answer on its way to a run, in the order of arrival (rowid). To answer from another transaction, insert run_id, name, value
 * (canonical JSON), sent_by and at; leave consumed_at null. The oldest valid row of a name wins.
 */
export interface SignalRow {
  run_id: string;
  name: string;
  value: string;
  sent_by: string;
  at: number;
  consumed_at: number | null;
}

export interface HeadRow {
  stream: string;
  seq: number;
  hash: string;
}

const SCHEMA_VERSION = 1;

const DDL = `
  CREATE TABLE runs (
    run_id TEXT NOT NULL PRIMARY KEY,
    root_run_id TEXT NOT NULL,
    parent_run_id TEXT,
    workflow TEXT NOT NULL,
    version TEXT NOT NULL,
    input_digest TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    pruned_at INTEGER,
    epoch INTEGER NOT NULL DEFAULT 0,
    lease_engine TEXT,
    lease_host TEXT,
    lease_pid INTEGER,
    lease_process_start TEXT,
    lease_until INTEGER,
    crashes INTEGER NOT NULL DEFAULT 0,
    crash_mark INTEGER NOT NULL DEFAULT 0,
    request TEXT,
    request_reason TEXT,
    request_by TEXT
  ) WITHOUT ROWID;
  CREATE INDEX runs_of_root ON runs (root_run_id);
  CREATE INDEX runs_requested ON runs (root_run_id) WHERE request IS NOT NULL;
  CREATE INDEX runs_created ON runs (created_at);

  CREATE TABLE events (
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    key TEXT,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX events_key ON events (stream, key) WHERE key IS NOT NULL;

  CREATE TABLE heads (
    stream TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TRIGGER events_first_head AFTER INSERT ON events WHEN NEW.seq = 1 BEGIN
    INSERT INTO heads (stream, seq, hash) VALUES (NEW.stream, NEW.seq, NEW.hash);
  END;
  CREATE TRIGGER events_move_head AFTER INSERT ON events WHEN NEW.seq > 1 BEGIN
    UPDATE heads SET seq = NEW.seq, hash = NEW.hash WHERE stream = NEW.stream;
  END;

  CREATE TABLE signals (
    run_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    sent_by TEXT NOT NULL,
    at INTEGER NOT NULL,
    consumed_at INTEGER
  );
  CREATE INDEX signals_pending ON signals (run_id, name) WHERE consumed_at IS NULL;

  CREATE TABLE durable_meta (key TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO durable_meta (key, value) VALUES ('schema_version', ${SCHEMA_VERSION});
`;

/** Creates the tables if they are missing. Writes nothing otherwise, so it also works on a read-only database. */
export async function migrateDurable(sqlite: Sqlite): Promise<void> {
  if ((await sqlite.exclusive((database) => checkedVersion(database, sqlite.path))) !== null) return;
  await sqlite.write((database) => {
    // Another process may have created them in the meantime.
    if (checkedVersion(database, sqlite.path) === null) database.exec(DDL);
  });
}

function checkedVersion(database: DatabaseSync, path: string): number | null {
  if (database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'durable_meta'").get() === undefined) return null;
  const row = database.prepare("SELECT value FROM durable_meta WHERE key = 'schema_version'").get();
  const version = typeof row?.["value"] === "number" ? row["value"] : 0;
  if (version <= SCHEMA_VERSION) return version;
  throw new SlipwayError(
    "database_newer",
    `${path} was written by a newer Slipway (durable schema ${version}; this one knows ${SCHEMA_VERSION}).`,
    {
      file: path,
      suggested_next_actions: ["Update Slipway, then try again."],
    },
  );
}
