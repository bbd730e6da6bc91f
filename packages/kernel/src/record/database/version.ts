import { SlipwayError } from "../../schema/errors.ts";
import type { Sqlite } from "@slipway/durable/sqlite";
import { isOfProtocol, type Migration } from "./migration.ts";

/**
 * The schema version of the file, after checking that this program understands it.
 * Needs no Kysely: commands that only read call this and then read with plain SQL.
 */
export async function checkedVersion(sqlite: Sqlite, migrations: readonly Migration[]): Promise<number> {
  const applied = (await appliedNames(sqlite)).filter((name) => !isOfProtocol(name));
  const unknownName = applied.find((name) => migrations.every((known) => known.name !== name));
  if (unknownName !== undefined) throw newerDatabase(sqlite.path, applied.length, migrations.length, unknownName);
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

/** A database that is opened read-only cannot be upgraded, so it must be current. */
export async function assertCurrent(sqlite: Sqlite, migrations: readonly Migration[]): Promise<void> {
  const version = await checkedVersion(sqlite, migrations);
  if (version === migrations.length) return;
  throw new SlipwayError(
    "database_read_only",
    `${sqlite.path} has schema version ${version}; this program needs ${migrations.length} but opened the file read-only.`,
    {
      file: sqlite.path,
      version,
      supported: migrations.length,
      suggested_next_actions: ["Run `slipway status` once with write access to the repository to upgrade the database."],
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
