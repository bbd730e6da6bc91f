import { canonicalJson, type Json } from "@slipway/durable/canonical";
import { eventHash, GENESIS, type Head, type JournalEvent } from "@slipway/durable/chain";
import type { Blobs } from "@slipway/durable/environment";
import { spill } from "@slipway/durable/payload";
import { preparedQuery, preparedQueryWith } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";

/** The stream of everything done through the door. Each run has its own stream, named by its id. */
export const REPOSITORY_STREAM = "repository";

/** Kind of the events that record where the stream of a finished run ended. */
export const RUN_HEAD = "run_head";

export interface NewEvent {
  readonly kind: string;
  readonly name: string;
  /** Unique in the stream: a second event with it is refused. */
  readonly key?: string;
  readonly at: number;
  /** An object, so that it cannot be mistaken for a reference to the object store. */
  readonly payload: { readonly [field: string]: Json };
}

export interface Journal {
  /**
   * Appends to the repository's stream in the caller's transaction, which must hold the write lock (as every transaction of the kernel
   * does).
   */
  append(tx: Tx, event: NewEvent): Promise<Head>;
}

export function repositoryJournal(blobs: Blobs): Journal {
  return {
    async append(tx, { kind, name, key, at, payload }) {
      const text = await spill(blobs, canonicalJson(payload));
      const head = (await headOf(tx, REPOSITORY_STREAM)) ?? { seq: 0, hash: GENESIS };
      const event = {
        stream: REPOSITORY_STREAM,
        seq: head.seq + 1,
        kind,
        name,
        key: key ?? null,
        at: Math.floor(at),
        payload: text,
        prev: head.hash,
      };
      const hash = eventHash(event);
      await insertEvent(tx, { ...event, hash });
      return { seq: event.seq, hash };
    },
  };
}

/** Records a run's last event in the repository's stream, so that truncating the run's stream is detected. */
export function appendRunHead(journal: Journal, tx: Tx, runId: string, head: Head, at: number): Promise<Head> {
  return journal.append(tx, {
    kind: RUN_HEAD,
    name: runId,
    key: `${RUN_HEAD}:${runId}:${head.seq}`,
    at,
    payload: { seq: head.seq, hash: head.hash },
  });
}

const insertEvent = preparedQueryWith((db, event: JournalEvent) => db.insertInto("events").values(event));

const headRow = preparedQuery((db, stream: string) => db.selectFrom("heads").select(["seq", "hash"]).where("stream", "=", stream));

export async function headOf(db: Db | Tx, stream: string): Promise<Head | undefined> {
  return (await headRow(db, stream))[0];
}

export interface JournalPage {
  readonly events: readonly JournalEvent[];
  /** Where the next page starts; undefined at the end. */
  readonly next: number | undefined;
}

export async function readPage(
  db: Db | Tx,
  stream: string,
  { from = 1, limit = 100 }: { readonly from?: number; readonly limit?: number } = {},
): Promise<JournalPage> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("stream", "=", stream)
    .where("seq", ">=", from)
    .orderBy("seq")
    .limit(limit + 1)
    .execute();
  return { events: rows.slice(0, limit), next: rows[limit]?.seq };
}
