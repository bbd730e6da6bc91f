import { chainVerifier, GENESIS, type Broken, type Head, type JournalEvent } from "@slipway/durable/chain";
import { brokenJournal } from "@slipway/durable/payload";
import { connectionOf } from "../database/dialect.ts";
import { preparedQuery } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import { headOf, REPOSITORY_STREAM } from "../journal/repository.ts";
import { factsIn, FORMER_FACTS } from "./append.ts";

/** What the journal says about a row. */
export interface RecordedFact {
  /** Null if the row was removed. */
  readonly digest: string | null;
  /** The event that says so. */
  readonly seq: number;
  readonly event: string;
  /** Recorded by a version that did not bind rows: bound later, as it was then. */
  readonly former: boolean;
}

export interface JournalFacts {
  about(table: string, key: string): RecordedFact | undefined;
  /** Facts about rows of the table that were not removed. */
  of(table: string): ReadonlyMap<string, RecordedFact>;
  /** The keys of the table in the order of their facts. The array grows with the chain; one that is read again has another array. */
  log(table: string): readonly string[];
  /** The tables that any fact names. */
  tables(): Iterable<string>;
}

interface Replayed {
  head: Head;
  readonly tables: Map<string, Map<string, RecordedFact>>;
  readonly logs: Map<string, string[]>;
}

const PAGE = 1_000;

const page = preparedQuery((db, from: number) =>
  db.selectFrom("events").selectAll().where("stream", "=", REPOSITORY_STREAM).where("seq", ">=", from).orderBy("seq").limit(PAGE),
);

/** Per connection, the facts up to the event to which this process has verified the chain. */
const verified = new WeakMap<object, Replayed>();

/**
 * The facts of the repository's stream, read from a chain that is verified up to its head. A process reads each event once; a chain that
 * no longer contains what was read is read again from its first event.
 */
export async function journalFacts(db: Db | Tx, kept?: Head): Promise<JournalFacts> {
  const connection = connectionOf(db);
  const known = connection && verified.get(connection);
  let replayed = known ?? startOfStream();
  let broken = await extend(db, replayed, kept);
  if (broken !== null && known !== undefined) broken = await extend(db, (replayed = startOfStream()), kept);
  if (broken !== null) {
    if (connection !== undefined) verified.delete(connection);
    throw brokenJournal(REPOSITORY_STREAM, broken);
  }
  if (connection !== undefined) verified.set(connection, replayed);
  const { tables, logs } = replayed;
  return {
    about: (table, key) => tables.get(table)?.get(key),
    of: (table) => new Map([...(tables.get(table) ?? [])].filter(([, { digest }]) => digest !== null)),
    log: (table) => getOrAdd(logs, table, () => []),
    tables: () => tables.keys(),
  };
}

function startOfStream(): Replayed {
  return { head: { seq: 0, hash: GENESIS }, tables: new Map(), logs: new Map() };
}

async function extend(db: Db | Tx, replayed: Replayed, kept: Head | undefined): Promise<Broken | null> {
  const expectedHead = await headOf(db, REPOSITORY_STREAM);
  const from = replayed.head;
  const last = expectedHead?.seq ?? 0;
  const verifier = chainVerifier({ after: from, expectedHead, ...(kept !== undefined && kept.seq > from.seq && { keptHead: kept }) });
  if (kept !== undefined && kept.seq > 0 && kept.seq <= from.seq) {
    const [event] = await page(db, kept.seq);
    if (event?.hash !== kept.hash) return changed(kept.seq);
  }
  // The last event that was read must still be there.
  for (let next = Math.max(from.seq, 1); next <= last || next === from.seq;) {
    const rows = await page(db, next);
    for (const row of rows) {
      if (row.seq === from.seq) {
        if (row.hash !== from.hash) return changed(row.seq);
        continue;
      }
      if (row.seq > last) break;
      const fault = verifier.next(row);
      if (fault !== null) return fault.broken;
      take(replayed, row);
    }
    if (next === from.seq && rows[0]?.seq !== from.seq) return changed(from.seq);
    if (rows.length < PAGE) break;
    next = (rows.at(-1)?.seq ?? last) + 1;
  }
  const verdict = verifier.end();
  if (!verdict.ok) return verdict.broken;
  replayed.head = verdict.head;
  return null;
}

function take({ tables, logs }: Replayed, { seq, name, payload }: JournalEvent): void {
  const former = name === FORMER_FACTS;
  for (const [table, rows] of Object.entries(factsIn(payload) ?? {})) {
    const known = getOrAdd(tables, table, () => new Map<string, RecordedFact>());
    for (const [key, digest] of Object.entries(rows)) known.set(key, { digest, seq, event: name, former });
    getOrAdd(logs, table, () => []).push(...Object.keys(rows));
  }
}

function getOrAdd<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function changed(seq: number): Broken {
  return { seq, reason: "rolled_back", message: `Event ${seq} is not the one that was written: the stream was written again.` };
}
