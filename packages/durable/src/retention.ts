import { canonicalJson } from "./canonical.ts";
import { PRUNED, type JournalEvent } from "./chain.ts";
import type { Parts } from "./execution.ts";
import { appendWithin, eventByKey, headWithin } from "./journal.ts";
import { OUTCOME } from "./names.ts";
import { decodePayload, spill } from "./payload.ts";
import { treeWithin } from "./runs.ts";
import type { RunRow } from "./tables.ts";

export interface PruneOptions {
  /** Prunes only runs that finished before this time (wall clock, milliseconds). */
  readonly finishedBefore: number;
  /** Keeps this many of the latest finished runs at any age. */
  readonly keep: number;
}

export interface Pruned {
  readonly runs: number;
  readonly events: number;
}

/** Deletes the events of old finished runs and their children. A tombstone in each stream keeps their count, the head and the outcome. */
export async function prune(parts: Parts, { finishedBefore, keep }: PruneOptions): Promise<Pruned> {
  const { sqlite } = parts;
  const sql = `SELECT run_id, finished_at, pruned_at FROM runs WHERE parent_run_id IS NULL AND finished_at IS NOT NULL ORDER BY finished_at DESC, run_id LIMIT -1 OFFSET ?`;
  const old = await sqlite.exclusive(() => sqlite.prepare(sql).all(keep) as Pick<RunRow, "run_id" | "finished_at" | "pruned_at">[]);
  const due = old.filter((row) => row.pruned_at === null && Number(row.finished_at) < finishedBefore);
  let total: Pruned = { runs: 0, events: 0 };
  for (const { run_id } of due) {
    const pruned = await pruneTree(parts, run_id);
    total = { runs: total.runs + pruned.runs, events: total.events + pruned.events };
  }
  return total;
}

/** One commit per tree. */
async function pruneTree(parts: Parts, rootRunId: string): Promise<Pruned> {
  const { sqlite, clock, observe } = parts;
  const rows = await sqlite.exclusive(() => treeWithin(sqlite, rootRunId));
  const tombstones = await Promise.all(rows.map(async (row) => ({ row, payload: await tombstoneOf(parts, row) })));
  const events = await sqlite.write(() =>
    tombstones.map(({ row, payload }) => replaceEvents(parts, row, payload, Math.floor(clock.now()))),
  );
  events.forEach(observe);
  return { runs: rows.length, events: events.reduce((sum, event) => sum + event.seq - 1, 0) };
}

async function tombstoneOf({ sqlite, blobs }: Parts, row: RunRow): Promise<string> {
  const outcome = await eventByKey(sqlite, row.run_id, OUTCOME);
  const kept = outcome === undefined ? {} : ((await decodePayload(blobs, outcome)) as object);
  const head = await sqlite.exclusive(() => headWithin(sqlite, row.run_id));
  return spill(blobs, canonicalJson({ ...kept, events: head.seq, head, status: row.status }));
}

function replaceEvents({ sqlite }: Parts, row: RunRow, payload: string, at: number): JournalEvent {
  sqlite.prepare("DELETE FROM events WHERE stream = ?").run(row.run_id);
  sqlite.prepare("DELETE FROM signals WHERE run_id = ?").run(row.run_id);
  sqlite.prepare("UPDATE runs SET pruned_at = ? WHERE run_id = ?").run(at, row.run_id);
  return appendWithin(sqlite, row.run_id, { kind: PRUNED, name: row.workflow, key: OUTCOME, payload }, at, null);
}
