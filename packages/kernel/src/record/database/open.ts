import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { migrateDurable } from "@slipway/durable/tables";
import { kyselyOn } from "./dialect.ts";
import type { Migration } from "./migration.ts";
import type { Db } from "./tables.ts";
import { applyMissing } from "./migrate.ts";
import { assertCurrent, checkedVersion } from "./version.ts";

export interface Database {
  readonly db: Db;
  /** The same connection, for the durable engine and for plain SQL. */
  readonly sqlite: Sqlite;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly busyTimeoutMs?: number;
  readonly migrations: readonly Migration[];
}

/** Opens the file, creating it or bringing its schema up to date unless `readOnly`. */
export async function openDatabase({ path, migrations, ...options }: DatabaseOptions): Promise<Database> {
  const sqlite = openSqlite(path, options);
  try {
    const db: Db = kyselyOn(sqlite);
    if (options.readOnly === true) await assertCurrent(sqlite, migrations);
    else await upgrade(db, sqlite, migrations);
    return { db, sqlite, close: () => sqlite.close() };
  } catch (error) {
    await sqlite.close();
    throw error;
  }
}

async function upgrade(db: Db, sqlite: Sqlite, migrations: readonly Migration[]): Promise<void> {
  const version = await checkedVersion(sqlite, migrations);
  await migrateDurable(sqlite);
  if (version < migrations.length) await applyMissing(db, migrations);
}
