import { join } from "node:path";
import type { ChainVerdict, Head } from "@slipway/durable/chain";
import { SlipwayError } from "../../schema/errors.ts";
import { settleJournal } from "@slipway/durable/journal";
import type { Sqlite } from "@slipway/durable/sqlite";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import type { Database } from "../database/open.ts";
import { compareAll, type Tampered } from "../facts/compare.ts";
import { journalFacts, type JournalFacts } from "../facts/read-back.ts";
import type { Records } from "../storage.ts";
import { keptHeadsIn, type KeptHeads } from "./kept-heads.ts";
import { keepPlace, placeName, replacedJournal } from "./place.ts";
import { REPOSITORY_STREAM } from "./repository.ts";
import { verifyAll } from "./verify.ts";

/**
 * Kept heads of this database's journal, by which a rolled-back database is detected. The hash of the first event identifies the database,
 * so a new database in the same folder has its own heads. A copy of the repository begins with the heads of the original and then has its
 * own: what is done in one says nothing about the other. Null before the first event.
 */
export async function keptHeadsFor(stateHome: string, sqlite: Sqlite): Promise<KeptHeads | null> {
  const first = await sqlite.exclusive(() => sqlite.prepare("SELECT hash FROM events WHERE stream = ? AND seq = 1").get(REPOSITORY_STREAM));
  if (first === undefined) return null;
  const folder = join(stateHome, "heads", String(first["hash"]).slice(0, 24));
  const [all, here] = [keptHeadsIn(nodeFileSystem, folder), keptHeadsIn(nodeFileSystem, join(folder, placeName(sqlite.path)))];
  return {
    async recordHead(stream, head) {
      await here.recordHead(stream, head);
      await all.recordHead(stream, head);
    },
    read: async (stream) => (await here.read(stream)) ?? all.read(stream),
    async readAll() {
      const own = await here.readAll();
      return own.size > 0 ? own : all.readAll();
    },
  };
}

/** The names of all streams, in their order. */
export async function streamNames({ database: { db } }: Pick<Records, "database">): Promise<string[]> {
  return (await db.selectFrom("heads").select("stream").orderBy("stream").execute()).map(({ stream }) => stream);
}

/** How many events the journal has in all streams, and the hash of the repository's last one. */
export async function journalSize({ database: { db } }: Pick<Records, "database">): Promise<{ events: number; head: string }> {
  const heads = await db.selectFrom("heads").selectAll().execute();
  return {
    events: heads.reduce((sum, { seq }) => sum + seq, 0),
    head: heads.find(({ stream }) => stream === REPOSITORY_STREAM)?.hash ?? "",
  };
}

/** Every stream, with the payloads in the object store and the heads kept outside the repository. */
export async function verifyJournal(
  stateHome: string,
  { database: { db, sqlite }, objects, layout }: Records,
): Promise<ReadonlyMap<string, ChainVerdict>> {
  const keptHeads = await keptHeadsFor(stateHome, sqlite);
  const verdicts = await verifyAll(sqlite, { ...(keptHeads === null ? {} : { keptHeads }), blobs: objects });
  const replaced = await replacedJournal(stateHome, db, layout.database);
  if (replaced === null) return verdicts;
  const broken = { seq: 1, reason: "rolled_back", message: replaced.message } as const;
  return new Map([...verdicts, [REPOSITORY_STREAM, { ok: false, broken }]]);
}

/** Rows of evidence that are not as the journal recorded them. Needs a whole repository stream. */
export async function verifyFacts({ database: { db } }: Pick<Records, "database">): Promise<Tampered[]> {
  return compareAll(db, await journalFacts(db));
}

/** The facts of the journal, if it is the one that is kept outside the repository. For what merges and what is signed. */
export async function keptFacts(
  stateHome: string,
  { database: { db, sqlite } }: { readonly database: Pick<Database, "db" | "sqlite"> },
): Promise<JournalFacts> {
  const replaced = await replacedJournal(stateHome, db, sqlite.path);
  if (replaced !== null) throw replaced;
  return journalFacts(db, await (await keptHeadsFor(stateHome, sqlite))?.read(REPOSITORY_STREAM));
}

/** Work on a database restored from an older copy would fork its history, so it stops until a person has decided. */
export async function assertNotRolledBack(stateHome: string, { database: { db, sqlite }, layout }: Records): Promise<void> {
  const replaced = await replacedJournal(stateHome, db, layout.database);
  if (replaced !== null) throw replaced;
  await keepPlace(stateHome, db, layout.database);
  const kept = (await (await keptHeadsFor(stateHome, sqlite))?.readAll()) ?? new Map<string, Head>();
  const heads = new Map((await db.selectFrom("heads").selectAll().execute()).map(({ stream, seq }) => [stream, seq]));
  const behind = [...kept].filter(([stream, { seq }]) => (heads.get(stream) ?? 0) < seq).map(([stream]) => stream);
  if (behind.length === 0) return;
  throw new SlipwayError(
    "journal_broken",
    `${layout.database} is older than its kept heads (${behind.join(", ")}): it was replaced by an earlier copy.`,
    {
      file: layout.database,
      suggested_next_actions: ["Restore the newer database, or run `slipway journal verify` to see what is missing."],
    },
  );
}

/** Writes the heads outside the repository, so that a rolled-back database is detected. */
export async function keepHeads(stateHome: string, { database: { db, sqlite }, layout }: Records): Promise<void> {
  const kept = await keptHeadsFor(stateHome, sqlite);
  if (kept === null) return;
  // Sync first: after a power cut, a head newer than the database would be taken for a rollback.
  const heads = await db.selectFrom("heads").selectAll().execute();
  settleJournal(sqlite);
  for (const { stream, seq, hash } of heads) await kept.recordHead(stream, { seq, hash });
  await keepPlace(stateHome, db, layout.database);
}
