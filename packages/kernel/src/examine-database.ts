import type { ChainVerdict } from "@slipway/durable/chain";
import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { MIGRATIONS } from "./migrations.ts";
import { checkedVersion } from "./record/database/version.ts";
import { keptHeadsFor } from "./record/journal/heads.ts";
import { verifyAll } from "./record/journal/verify.ts";

export interface DatabaseState {
  /** Of the schema; `newest` is the one that this program has. */
  readonly version: number;
  readonly newest: number;
  /** Null where there is no journal yet. */
  readonly events: number | null;
  /** Of each stream; null where the journal has more than `most` events, or where there is none. */
  readonly verdicts: ReadonlyMap<string, ChainVerdict> | null;
}

/** Reads only. The journal is verified without its payloads in the object store, and only if it has at most `most` events. */
export async function examineDatabase(file: string, stateHome: string, most: number): Promise<DatabaseState> {
  const sqlite = openSqlite(file, { readOnly: true });
  try {
    const version = await checkedVersion(sqlite, MIGRATIONS);
    const events = await countEvents(sqlite);
    const verdicts = events === null || events > most ? null : await verify(sqlite, stateHome);
    return { version, newest: MIGRATIONS.length, events, verdicts };
  } finally {
    await sqlite.close();
  }
}

async function verify(sqlite: Sqlite, stateHome: string): Promise<ReadonlyMap<string, ChainVerdict>> {
  const keptHeads = await keptHeadsFor(stateHome, sqlite);
  return verifyAll(sqlite, keptHeads === null ? {} : { keptHeads });
}

async function countEvents(sqlite: Sqlite): Promise<number | null> {
  return sqlite.exclusive((database) => {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'events'").get();
    return table === undefined ? null : Number(database.prepare("SELECT count(*) AS events FROM events").get()?.["events"]);
  });
}
