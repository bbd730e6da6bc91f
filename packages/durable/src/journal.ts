import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { chainVerifier, eventHash, GENESIS, nameFault, type Head, type JournalEvent, type Suspect, type ChainVerdict } from "./chain.ts";
import type { Durability } from "./durability.ts";
import type { Blobs, Clock } from "./environment.ts";
import { SlipwayError } from "./errors.ts";
import { blobFault, brokenJournal } from "./payload.ts";
import { inTransaction, type Sqlite } from "./sqlite.ts";

/** Proof of ownership: a write succeeds only while the root still has this epoch. */
export interface Fence {
  readonly rootRunId: string;
  readonly epoch: number;
}

/** A stream that the owner of its run has open for appending. */
export interface Stream {
  readonly name: string;
  readonly fence: Fence;
  head: Head;
  /** Recorded results that have not been replayed yet; at 0, recall needs no lookup. */
  unrecalled: number;
  /** Set when the run has finished: bodies that are still running must not append after its end. */
  closed: boolean;
}

export interface Draft {
  readonly kind: string;
  readonly name: string;
  readonly key?: string;
  readonly durability?: Durability;
  /** Stored text, see payload.ts. */
  readonly payload: string;
}

export interface JournalParts {
  readonly sqlite: Sqlite;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly observe: (event: JournalEvent) => void;
}

const PAGE = 500;

/** Commits the event, the head (by trigger) and the writes of `also` together. */
export async function append(
  { sqlite, clock, observe }: JournalParts,
  stream: Stream,
  draft: Draft,
  also?: () => void,
): Promise<JournalEvent> {
  const event = await sqlite.exclusive((database) => {
    if (stream.closed) throw leaseLost(stream.fence.rootRunId);
    const insert = () => insertFenced(sqlite, stream, draft, clock.now());
    const inserted = also === undefined ? insert() : inTransaction(database, () => insertAnd(insert, also));
    stream.head = { seq: inserted.seq, hash: inserted.hash };
    return inserted;
  }, draft.durability);
  observe(event);
  return event;
}

function insertAnd(insert: () => JournalEvent, also: () => void): JournalEvent {
  const event = insert();
  also();
  return event;
}

/** Inside the caller's transaction, for a stream that is not open in memory. Pass the event to `observe` after the commit. */
export function appendWithin(sqlite: Sqlite, name: string, draft: Draft, at: number, fence: Fence | null): JournalEvent {
  const head = headWithin(sqlite, name);
  if (fence !== null) return insertFenced(sqlite, { name, head, fence }, draft, at);
  const event = nextEvent(name, head, draft, at);
  sqlite.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(...values(event));
  return event;
}

/**
 * Syncs the WAL file (fsync), and with it every relaxed commit of every process. Pages that are no longer in the WAL were synced by
 * the checkpoint. Closing the file is safe: SQLite's POSIX locks are on other files.
 */
export function settleJournal({ path }: Pick<Sqlite, "path">): void {
  const file = openIfThere(`${path}-wal`);
  if (file === null) return;
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same without blocking the event loop: commits from before the call are on disk when this resolves. */
export async function journalOnDisk({ path }: Pick<Sqlite, "path">): Promise<void> {
  const file = openIfThere(`${path}-wal`);
  if (file === null) return;
  try {
    await syncData(file);
  } finally {
    closeSync(file);
  }
}

const syncData = promisify(fdatasync);

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

export function headWithin(sqlite: Sqlite, stream: string): Head {
  const row = sqlite.prepare("SELECT seq, hash FROM heads WHERE stream = ?").get(stream);
  return row === undefined ? { seq: 0, hash: GENESIS } : { seq: Number(row["seq"]), hash: String(row["hash"]) };
}

export function eventByKey(sqlite: Sqlite, stream: string, key: string): Promise<JournalEvent | undefined> {
  return sqlite.reading(
    () => sqlite.prepare("SELECT * FROM events WHERE stream = ? AND key = ?").get(stream, key) as JournalEvent | undefined,
  );
}

export function readEvents(sqlite: Sqlite, stream: string, fromSeq: number, limit: number): Promise<JournalEvent[]> {
  const sql = "SELECT * FROM events WHERE stream = ? AND seq >= ? ORDER BY seq LIMIT ?";
  return sqlite.reading(() => sqlite.prepare(sql).all(stream, fromSeq, limit) as unknown as JournalEvent[]);
}

export interface VerifyStreamOptions {
  readonly keptHead?: Head | undefined;
  readonly blobs?: Blobs;
  readonly visit?: (event: JournalEvent) => void;
}

/** Reads the stream page by page. With `blobs`, also reads and compares spilled payloads. */
export async function verifyStream(sqlite: Sqlite, stream: string, options: VerifyStreamOptions = {}): Promise<ChainVerdict> {
  const { expectedHead, last } = await sqlite.reading(() => bounds(sqlite, stream));
  const verifier = chainVerifier({ expectedHead, keptHead: options.keptHead });
  for (let from = Number.MIN_SAFE_INTEGER; from <= last;) {
    const rows = await readEvents(sqlite, stream, from, PAGE);
    for (const row of rows) {
      // Appended after `bounds` was read; the expected head is older.
      if (row.seq > last) return verifier.end();
      const fault = verifier.next(row);
      if (fault !== null) return { ok: false, broken: nameFault(fault, await elsewhere(sqlite, stream, fault.suspect)) };
      const blob = options.blobs === undefined ? null : await blobFault(options.blobs, row);
      if (blob !== null) return { ok: false, broken: blob };
      options.visit?.(row);
      from = row.seq + 1;
    }
    if (rows.length < PAGE) break;
  }
  return verifier.end();
}

/** Verifies the chain and opens the stream for appending. */
export async function openStream(sqlite: Sqlite, name: string, fence: Fence): Promise<Stream> {
  let unrecalled = 0;
  const verdict = await verifyStream(sqlite, name, { visit: ({ key, name }) => (unrecalled += key === name ? 1 : 0) });
  if (!verdict.ok) throw brokenJournal(name, verdict.broken);
  return { name, fence, head: verdict.head, unrecalled, closed: false };
}

export function leaseLost(runId: string): SlipwayError {
  return new SlipwayError("lease_lost", `Another process has taken over run ${runId}; nothing more was written here.`, { run_id: runId });
}

const COLUMNS = "stream, seq, kind, name, key, at, payload, prev, hash";

function insertFenced(
  sqlite: Sqlite,
  { name, head, fence }: Pick<Stream, "name" | "head" | "fence">,
  draft: Draft,
  at: number,
): JournalEvent {
  const event = nextEvent(name, head, draft, at);
  const sql = `INSERT INTO events (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE (SELECT epoch FROM runs WHERE run_id = ?) = ?`;
  try {
    const { changes } = sqlite.prepare(sql).run(...values(event), fence.rootRunId, fence.epoch);
    if (changes === 0) throw leaseLost(fence.rootRunId);
  } catch (error) {
    throw isConstraint(error)
      ? brokenJournal(name, { seq: event.seq, reason: "edited", message: "Another writer has appended an event." })
      : error;
  }
  return event;
}

function nextEvent(stream: string, head: Head, { kind, name, key, payload }: Draft, at: number): JournalEvent {
  const event = { stream, seq: head.seq + 1, kind, name, key: key ?? null, at: Math.floor(at), payload, prev: head.hash };
  return { ...event, hash: eventHash(event) };
}

function values({ stream, seq, kind, name, key, at, payload, prev, hash }: JournalEvent) {
  return [stream, seq, kind, name, key, at, payload, prev, hash] as const;
}

/** One statement, so that head and last event come from the same snapshot. */
function bounds(sqlite: Sqlite, stream: string): { expectedHead: Head | undefined; last: number } {
  const sql = `SELECT heads.seq, heads.hash, (SELECT max(seq) FROM events WHERE stream = ?1) AS last
    FROM (SELECT 1) LEFT JOIN heads ON heads.stream = ?1`;
  const row = sqlite.prepare(sql).get(stream) as { seq: number | null; hash: string | null; last: number | null };
  const expectedHead = row.seq === null || row.hash === null ? undefined : { seq: row.seq, hash: row.hash };
  return { expectedHead, last: row.last ?? 0 };
}

/** The rows are ordered by number, so only a link can point elsewhere. */
async function elsewhere(sqlite: Sqlite, stream: string, suspect: Suspect | null): Promise<() => boolean> {
  if (suspect === null || !("hash" in suspect)) return () => false;
  const row = await sqlite.exclusive(() => sqlite.prepare("SELECT 1 FROM events WHERE stream = ? AND hash = ?").get(stream, suspect.hash));
  return () => row !== undefined;
}

const SQLITE_CONSTRAINT = 19;

function isConstraint(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === SQLITE_CONSTRAINT;
}
