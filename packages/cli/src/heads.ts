import { join } from "node:path";
import type { Head } from "@slipway/durable/chain";
import { SlipwayError } from "@slipway/durable/errors";
import type { Sqlite } from "@slipway/durable/sqlite";
import { nodeFileSystem } from "@slipway/kernel/files/file-system";
import { keptHeadsIn, type KeptHeads } from "@slipway/kernel/journal/kept-heads";
import { REPOSITORY_STREAM } from "@slipway/kernel/journal/repository";
import type { Records } from "@slipway/kernel/records";
import type { Io } from "./io.ts";
import { placesOf } from "./places.ts";

/**
 * Heads of the journal, so that a rolled-back database is noticed. They belong to one database, named by its first event:
 * a new one in the same folder is another. Null before anything was written.
 */
export async function keptHeadsFor(io: Io, sqlite: Sqlite): Promise<KeptHeads | null> {
  const first = await sqlite.exclusive(() => sqlite.prepare("SELECT hash FROM events WHERE stream = ? AND seq = 1").get(REPOSITORY_STREAM));
  return first === undefined
    ? null
    : keptHeadsIn(nodeFileSystem, join(placesOf(io).stateHome, "heads", String(first["hash"]).slice(0, 24)));
}

/** Work on a database that was put back to an older copy would fork its history: nothing goes on before a person has looked. */
export async function assertNotRolledBack(io: Io, { database: { db, sqlite }, layout }: Records): Promise<void> {
  const kept = (await (await keptHeadsFor(io, sqlite))?.readAll()) ?? new Map<string, Head>();
  const heads = new Map((await db.selectFrom("heads").selectAll().execute()).map(({ stream, seq }) => [stream, seq]));
  const behind = [...kept].filter(([stream, { seq }]) => (heads.get(stream) ?? 0) < seq).map(([stream]) => stream);
  if (behind.length === 0) return;
  throw new SlipwayError(
    "journal_broken",
    `${layout.database} is older than what was last seen of it (${behind.join(", ")}): it was put back to an earlier copy.`,
    {
      file: layout.database,
      suggested_next_actions: ["Put the newer database back, or look at what is missing with `slipway journal verify`."],
    },
  );
}

/** Heads go outside the repository, so that a database put back to an older copy is noticed. */
export async function keepHeads(io: Io, { database: { db, sqlite } }: Records): Promise<void> {
  const kept = await keptHeadsFor(io, sqlite);
  if (kept === null) return;
  for (const { stream, seq, hash } of await db.selectFrom("heads").selectAll().execute()) await kept.recordHead(stream, { seq, hash });
}
