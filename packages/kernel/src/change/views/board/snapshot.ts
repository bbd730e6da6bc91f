import type { Sqlite } from "@slipway/durable/sqlite";

export type Row = Readonly<Record<string, unknown>>;
/** The rows of a query whose main table is `table`. */
export type From = (table: string, sql: string) => Row[];

/** Reads in one transaction, so that the parts are consistent. Only for a connection that is not shared. */
export function readSnapshot<T>(sqlite: Sqlite, read: (from: From) => T): T {
  const rows = (sql: string): Row[] => sqlite.prepare(sql).all();
  sqlite.prepare("BEGIN").run();
  try {
    const tables = new Set(rows("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name));
    // A database that an earlier version has left may lack some, and nothing is changed here.
    return read((table, sql) => (tables.has(table) ? rows(sql) : []));
  } finally {
    sqlite.prepare("COMMIT").run();
  }
}
