import { SlipwayError } from "@slipway/durable/errors";
import type { Sqlite } from "@slipway/durable/sqlite";
import { isOfProtocol, type Migration } from "./migration.ts";

/**
 * The schema version of the file, after checking that this program understands it.
 * Needs no Kysely: commands that only read call this and then read with plain SQL.
 */
export async function checkedVersion(sqlite: Sqlite, migrations: readonly Migration[]): Promise<number> {
  const applied = (await appliedNames(sqlite)).filter((name) => !isOfProtocol(name));
  const strange = applied.find((name) => migrations.every((known) => known.name !== name));
  if (strange !== undefined) throw newerDatabase(sqlite.path, applied.length, migrations.length, strange);
  return applied.length;
}

function appliedNames(sqlite: Sqlite): Promise<string[]> {
  return sqlite.exclusive((database) => {
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").get();
    if (known === undefined) return [];
    return database
      .prepare("SELECT name FROM schema_version ORDER BY version")
      .all()
      .map(({ name }) => String(name));
  });
}

/** For a file that may not be written: it has to be up to date already. */
export async function assertCurrent(sqlite: Sqlite, migrations: readonly Migration[]): Promise<void> {
  const version = await checkedVersion(sqlite, migrations);
  if (version === migrations.length) return;
  throw new SlipwayError(
    "database_read_only",
    `${sqlite.path} has schema version ${version}; this program needs ${migrations.length} and was told not to write to it.`,
    {
      file: sqlite.path,
      version,
      supported: migrations.length,
      suggested_next_actions: ["Run `slipway status` with write access to the repository once; it upgrades the database."],
    },
  );
}

export function newerDatabase(file: string, version: number, supported: number, name: string): SlipwayError {
  return new SlipwayError(
    "database_newer",
    `${file} was written by a newer Slipway: it has schema version ${version} (with "${name}"), this program knows ${supported}. Nothing was changed.`,
    { file, version, supported, suggested_next_actions: ["Use the Slipway that wrote the file, or a newer one (`npx slipway@latest`)."] },
  );
}
