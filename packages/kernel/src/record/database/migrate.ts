import type { Migration, OwnMigrations } from "./migration.ts";
import type { Db } from "./tables.ts";
import { newerDatabase } from "./version.ts";

/** Applies, in one transaction, every migration that is not in `schema_version` yet. */
export async function applyMissing(db: Db, migrations: readonly Migration[]): Promise<void> {
  await versionsIn(db)
    .transaction()
    .execute(async (tx) => {
      await tx.schema
        .createTable("schema_version")
        .ifNotExists()
        .addColumn("version", "integer", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull())
        .execute();
      // Another process may have upgraded between the check and this lock.
      const rows = await tx.selectFrom("schema_version").select(["version", "name"]).execute();
      const applied = new Set(rows.map(({ name }) => name));
      let version = Math.max(0, ...rows.map((row) => row.version));
      for (const { name, up } of migrations) {
        if (applied.has(name)) continue;
        await up(tx);
        await tx.insertInto("schema_version").values({ version: ++version, name }).execute();
      }
    });
}

/**
 * Brings a protocol's tables up to date. A recorded migration that the protocol does not know means that a newer Slipway wrote the file.
 */
export async function migrateOwner(db: Db, file: string, { owner, migrations, former = [] }: OwnMigrations): Promise<void> {
  const own = migrations.map(({ name, up }) => ({ name: former.includes(name) ? name : `${owner}/${name}`, up }));
  const recorded = (await versionsIn(db).selectFrom("schema_version").select("name").execute()).map(({ name }) => name);
  const unknownName = recorded.find((name) => name.startsWith(`${owner}/`) && own.every((known) => known.name !== name));
  if (unknownName !== undefined) throw newerDatabase(file, recorded.length, own.length, unknownName);
  if (own.some(({ name }) => !recorded.includes(name))) await applyMissing(db, own);
}

function versionsIn(db: Db) {
  return db.withTables<{ schema_version: { version: number; name: string } }>();
}
