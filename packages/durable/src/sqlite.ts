import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Durability } from "./durability.ts";
import { SlipwayError, type ErrorCode } from "./errors.ts";

/**
 * One connection per process and file, shared by the durable engine and the kernel; its users take turns.
 * A second connection on the same thread could deadlock: it would block the event loop in SQLite's busy
 * wait while the transaction of the first one waits for the event loop.
 */
export interface Sqlite {
  readonly path: string;
  /** Runs `work` alone on the connection. Its commits are synced by default. */
  exclusive<T>(work: (database: DatabaseSync) => T | Promise<T>, durability?: Durability): Promise<T>;
  /** Runs `work` inside BEGIN IMMEDIATE … COMMIT; `work` must be synchronous. */
  write<T>(work: (database: DatabaseSync) => T): Promise<T>;
  /** Like `exclusive`, for work that writes nothing. */
  reading<T>(work: (database: DatabaseSync) => T): Promise<T>;
  /** Prepared once per SQL text. Call only inside `exclusive` or `write`. */
  prepare(sql: string): StatementSync;
  close(): Promise<void>;
}

export interface SqliteOptions {
  readonly readOnly?: boolean;
  readonly busyTimeoutMs?: number;
}

type Work<T> = (database: DatabaseSync) => T | Promise<T>;

const BUSY_TIMEOUT_MS = 10_000;

export function openSqlite(path: string, options: SqliteOptions = {}): Sqlite {
  const database = open(path, options);
  const statements = new Map<string, StatementSync>();
  const holder = new AsyncLocalStorage<{ active: boolean }>();
  let tail: Promise<unknown> = Promise.resolve();
  let turns = 0;
  let level: Durability = "synced";
  const endTurn = () => void turns--;

  function prepare(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  }

  /** A WAL keeps the order of commits, so a power cut loses only the latest ones. The pragma runs only when the level changes. */
  function setLevel(wanted: Durability): void {
    if (level === wanted) return;
    prepare(`PRAGMA synchronous = ${wanted === "synced" ? "FULL" : "NORMAL"}`).run();
    level = wanted;
  }

  /** `durability` is null for work without a commit. */
  function inTurn<T>(work: Work<T>, durability: Durability | null): Promise<T> {
    if (holder.getStore()?.active === true) {
      return Promise.reject(
        new SlipwayError("internal_error", "A database call was made inside a transaction without using that transaction."),
      );
    }
    // With an empty queue, start in the same turn of the event loop.
    const result = turns++ === 0 ? turn(work, durability) : tail.then(() => turn(work, durability));
    tail = result.then(endTurn, endTurn);
    return result;
  }

  async function turn<T>(work: Work<T>, durability: Durability | null): Promise<T> {
    const mine = { active: true };
    try {
      if (durability !== null) setLevel(durability);
      return await holder.run(mine, work, database);
    } catch (error) {
      throw translate(error, path);
    } finally {
      mine.active = false;
    }
  }

  return {
    path,
    exclusive: (work, durability = "synced") => inTurn(work, durability),
    write: (work) => inTurn((connection) => inTransaction(connection, work), "synced"),
    reading: (work) => inTurn(work, null),
    prepare,
    close: () => inTurn((connection) => connection.close(), null),
  };
}

function open(path: string, options: SqliteOptions): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
    if (options.readOnly !== true) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
    return database;
  } catch (error) {
    throw translate(error, path);
  }
}

/** For work inside `exclusive` that changes memory together with the commit. */
export function inTransaction<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work(database);
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** SQLite primary result codes (the low byte of errcode) that a person can act on. */
const MEANINGS: Record<number, { code: ErrorCode; message: string; next: string }> = {
  5: {
    code: "database_locked",
    message: "Another process holds the database.",
    next: "Wait for the other slipway process to finish, then try again.",
  },
  6: {
    code: "database_locked",
    message: "Another process holds the database.",
    next: "Wait for the other slipway process to finish, then try again.",
  },
  8: {
    code: "database_read_only",
    message: "The database cannot be written.",
    next: "Make the file and its folder writable for your user.",
  },
  10: { code: "io_error", message: "The disk reported an error.", next: "Check the disk, then run `slipway journal verify`." },
  11: {
    code: "database_corrupt",
    message: "The database file is damaged.",
    next: "Restore it from a copy; the agents' work is in git under refs/slipway.",
  },
  13: { code: "disk_full", message: "The disk is full; nothing was recorded.", next: "Free some space, then run `slipway resume`." },
  14: {
    code: "database_read_only",
    message: "The database cannot be opened.",
    next: "Check that the folder exists and is writable for your user.",
  },
  26: { code: "database_corrupt", message: "The file is not a Slipway database.", next: "Move the file away or restore it from a copy." },
};

export function translate(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  const meaning = MEANINGS[error.errcode & 0xff];
  if (meaning === undefined) return error;
  return new SlipwayError(
    meaning.code,
    `${meaning.message} (${path}: ${error.message})`,
    { file: path, suggested_next_actions: [meaning.next] },
    { cause: error },
  );
}
