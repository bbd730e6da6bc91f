import { join } from "node:path";
import type { Head } from "@slipway/durable/chain";
import { SlipwayError } from "@slipway/durable/errors";
import { settleJournal } from "@slipway/durable/journal";
import type { Sqlite } from "@slipway/durable/sqlite";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import type { Records } from "../storage.ts";
import { keptHeadsIn, type KeptHeads } from "./kept-heads.ts";
import { REPOSITORY_STREAM } from "./repository.ts";

/**
 * Heads of the journal, so that a rolled-back database is noticed. They belong to one database, named by its first event:
 * a new one in the same folder is another. Null before anything was written.
 */
export async function keptHeadsFor(stateHome: string, sqlite: Sqlite): Promise<KeptHeads | null> {
  const first = await sqlite.exclusive(() => sqlite.prepare("SELECT hash FROM events WHERE stream = ? AND seq = 1").get(REPOSITORY_STREAM));
  return first === undefined ? null : keptHeadsIn(nodeFileSystem, join(stateHome, "heads", String(first["hash"]).slice(0, 24)));
}

/** Work on a database that was put back to an older copy would fork its history: nothing goes on before a person has looked. */
export async function assertNotRolledBack(stateHome: string, { database: { db, sqlite }, layout }: Records): Promise<void> {
  const kept = (await (await keptHeadsFor(stateHome, sqlite))?.readAll()) ?? new Map<string, Head>();
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
export async function keepHeads(stateHome: string, { database: { db, sqlite } }: Records): Promise<void> {
  const kept = await keptHeadsFor(stateHome, sqlite);
  if (kept === null) return;
  // A head that a power cut takes away would look as if somebody had put an older copy back.
  const heads = await db.selectFrom("heads").selectAll().execute();
  settleJournal(sqlite);
  for (const { stream, seq, hash } of heads) await kept.recordHead(stream, { seq, hash });
}
