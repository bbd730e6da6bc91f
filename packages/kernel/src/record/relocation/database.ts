import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { inTransaction, translate } from "@slipway/durable/sqlite";

/** Stored as the name of a migration that no Slipway knows, so that every version refuses the file as written by a newer one. */
const MOVED = "moved below the common git directory";

/** Opens the database exclusively and checkpoints its WAL. Null while another process has it open. */
export function holdDatabase(path: string): DatabaseSync | null {
  const url = pathToFileURL(path);
  // Do not create the file if another process has just moved it.
  url.searchParams.set("mode", "rw");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, { timeout: 0 });
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database?.close();
    if (isPassing(error)) return null;
    throw translate(error, path);
  }
}

/** Busy, locked, or moved between the check and the open. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : 0;
  return [5, 6, 14].includes(code);
}

export function isMarked(database: DatabaseSync): boolean {
  return hasVersions(database) && database.prepare("SELECT 1 FROM schema_version WHERE name = ?").get(MOVED) !== undefined;
}

export function markMoved(database: DatabaseSync): void {
  if (isMarked(database)) return;
  inTransaction(database, () => {
    database.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    database.prepare("INSERT INTO schema_version (version, name) SELECT coalesce(max(version), 0) + 1, ? FROM schema_version").run(MOVED);
  });
}

/** Removes the mark from a copy of a database that an interrupted attempt had already marked. */
export function withoutMark(path: string): void {
  const database = new DatabaseSync(path);
  try {
    if (hasVersions(database)) database.prepare("DELETE FROM schema_version WHERE name = ?").run(MOVED);
  } finally {
    database.close();
  }
}

function hasVersions(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").get() !== undefined;
}
