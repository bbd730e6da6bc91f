import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { chainVerifier, eventHash, GENESIS, nameFault, type Head, type JournalEvent, type Suspect, type ChainVerdict } from "./chain.ts";
import type { Durability } from "./durability.ts";
import type { Blobs, Clock } from "./environment.ts";
import { SlipwayError } from "./errors.ts";
import { blobFault, brokenJournal } from "./payload.ts";
import { inTransaction, type Sqlite } from "./sqlite.ts";

/** Proof of ownership: a write counts only while the root's epoch is still this one. */
export interface Fence {
  readonly rootRunId: string;
  readonly epoch: number;
}

/** A stream open for appending by the one owner of its run. */
export interface Stream {
  readonly name: string;
  readonly fence: Fence;
  head: Head;
  /** How many recorded results nobody has asked for yet; when there are none left, there is nothing to look up. */
  unrecalled: number;
  /** Set when the run has finished; whatever is still under way may not write behind its end. */
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

/** One commit: the event, the head (by trigger) and whatever `also` writes. */
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

/** Inside the caller's transaction, for a stream nobody holds in memory. Hand the event to `observe` after the commit. */
export function appendWithin(sqlite: Sqlite, name: string, draft: Draft, at: number, fence: Fence | null): JournalEvent {
  const head = headWithin(sqlite, name);
  if (fence !== null) return insertFenced(sqlite, { name, head, fence }, draft, at);
  const event = following(name, head, draft, at);
  sqlite.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(...values(event));
  return event;
}

/**
 * Puts everything that is committed, also by others and without waiting, on the disk. Nothing is written for it. SQLite's locks are
 * on other files than the log, so that closing it lets go of none; what is not in it any more went to the disk before.
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

/** The same beside whatever else goes on: what was committed before the call is on the disk when this resolves. */
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

/** Goes through the stream page by page. With `blobs`, spilled payloads are read and compared too. */
export async function verifyStream(sqlite: Sqlite, stream: string, options: VerifyStreamOptions = {}): Promise<ChainVerdict> {
  const { expectedHead, last } = await sqlite.reading(() => bounds(sqlite, stream));
  const verifier = chainVerifier({ expectedHead, keptHead: options.keptHead });
  for (let from = Number.MIN_SAFE_INTEGER; from <= last;) {
    const rows = await readEvents(sqlite, stream, from, PAGE);
    for (const row of rows) {
      // Appended since we looked; the head we compare with is older.
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

/** Ready to append, once the chain has been found whole. */
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
  const event = following(name, head, draft, at);
  const sql = `INSERT INTO events (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE (SELECT epoch FROM runs WHERE run_id = ?) = ?`;
  try {
    const { changes } = sqlite.prepare(sql).run(...values(event), fence.rootRunId, fence.epoch);
    if (changes === 0) throw leaseLost(fence.rootRunId);
  } catch (error) {
    throw isConstraint(error)
      ? brokenJournal(name, { seq: event.seq, reason: "edited", message: "An event appeared that the owner did not write." })
      : error;
  }
  return event;
}

function following(stream: string, head: Head, { kind, name, key, payload }: Draft, at: number): JournalEvent {
  const event = { stream, seq: head.seq + 1, kind, name, key: key ?? null, at: Math.floor(at), payload, prev: head.hash };
  return { ...event, hash: eventHash(event) };
}

function values({ stream, seq, kind, name, key, at, payload, prev, hash }: JournalEvent) {
  return [stream, seq, kind, name, key, at, payload, prev, hash] as const;
}

/** One statement, so that both come from the same moment. */
function bounds(sqlite: Sqlite, stream: string): { expectedHead: Head | undefined; last: number } {
  const sql = `SELECT heads.seq, heads.hash, (SELECT max(seq) FROM events WHERE stream = ?1) AS last
    FROM (SELECT 1) LEFT JOIN heads ON heads.stream = ?1`;
  const row = sqlite.prepare(sql).get(stream) as { seq: number | null; hash: string | null; last: number | null };
  const expectedHead = row.seq === null || row.hash === null ? undefined : { seq: row.seq, hash: row.hash };
  return { expectedHead, last: row.last ?? 0 };
}

/** Rows come ordered by number here, so only a link can point elsewhere. */
async function elsewhere(sqlite: Sqlite, stream: string, suspect: Suspect | null): Promise<() => boolean> {
  if (suspect === null || !("hash" in suspect)) return () => false;
  const row = await sqlite.exclusive(() => sqlite.prepare("SELECT 1 FROM events WHERE stream = ? AND hash = ?").get(stream, suspect.hash));
  return () => row !== undefined;
}

const SQLITE_CONSTRAINT = 19;

function isConstraint(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === SQLITE_CONSTRAINT;
}
