import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { migrateDurable } from "@slipway/durable/tables";
import { kyselyOn } from "./dialect.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import type { Db } from "./tables.ts";
import { assertCurrent, checkedVersion } from "./version.ts";

export interface Database {
  readonly db: Db;
  /** The same connection, for the durable engine and for plain SQL. */
  readonly sqlite: Sqlite;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly busyTimeoutMs?: number;
  /** Another list than the program's own; for tests. */
  readonly migrations?: readonly Migration[];
}

/** Opens the file, creating it or bringing its schema up to date unless `readOnly`. */
export async function openDatabase({ path, migrations = MIGRATIONS, ...options }: OpenOptions): Promise<Database> {
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
  if (version === migrations.length) return;
  const versions = db.withTables<{ schema_version: { version: number; name: string } }>();
  await versions.transaction().execute(async (tx) => {
    await tx.schema
      .createTable("schema_version")
      .ifNotExists()
      .addColumn("version", "integer", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .execute();
    // Another process may have upgraded between the check and this lock.
    const applied = await tx.selectFrom("schema_version").select("version").execute();
    for (const [index, migration] of migrations.entries()) {
      if (index < applied.length) continue;
      await migration.up(tx);
      await tx
        .insertInto("schema_version")
        .values({ version: index + 1, name: migration.name })
        .execute();
    }
  });
}
