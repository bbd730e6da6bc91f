import { existsSync } from "node:fs";
import { appendFile, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { JournalEvent } from "@slipway/durable/chain";
import type { Db } from "../../record/database/tables.ts";
import { hasCode, nodeFileSystem } from "../../host/files/file-system.ts";
import { ensureDirectory, writeFileAtomic } from "../../host/files/write-atomic.ts";
import { REPOSITORY_STREAM } from "../../record/journal/repository.ts";
import type { Layout } from "../../host/layout.ts";
import type { Records } from "../../record/storage.ts";
import type { Redactor } from "../../host/redaction/contract.ts";
import { INVOCATION, lineOf, type LogLine } from "./lines.ts";

export const LOG_FILE = "events.jsonl";

/** Keeps `.slipway/runs/<run>/events.jsonl` up with the journal. It is never waited for by a run, and never fails one. */
export interface RunLog {
  /** Something happened in this run, or in one below it. */
  note(runId: string): void;
  /** Everything noted so far is written. */
  settle(): Promise<void>;
}

export interface RunLogOptions {
  readonly records: Pick<Records, "database" | "layout">;
  readonly redactor: Redactor;
  readonly onWarning: (warning: string) => void;
}

export function openRunLog({ records, redactor, onWarning }: RunLogOptions): RunLog {
  const { layout, database } = records;
  const { db } = database;
  const noted = new Set<string>();
  const written = new Map<string, Promise<Cursor>>();
  let work: Promise<void> | null = null;
  let told = false;

  async function catchUp(root: string): Promise<void> {
    const run = await db.selectFrom("runs").select("run_id").where("run_id", "=", root).executeTakeFirst();
    if (run === undefined) return;
    const file = join(layout.run(root), LOG_FILE);
    const present = existsSync(file);
    // One that was removed under the run is written from the beginning.
    if (!present || !written.has(root)) written.set(root, cursorIn(db, file));
    const cursor = await (written.get(root) as Promise<Cursor>);
    const lines = await newLines(db, root, cursor);
    if (lines.length === 0) return;
    await ensureDirectory(nodeFileSystem, layout.run(root));
    const text = lines.map((line) => `${JSON.stringify(redactor.value(line))}\n`).join("");
    // At once, so that of two processes that write it again neither adds to what the other has written.
    if (present) await appendFile(file, text);
    else await writeFileAtomic(nodeFileSystem, file, Buffer.from(text), { durable: false });
    for (const { data } of lines) cursor.set(data.stream, Math.max(cursor.get(data.stream) ?? 0, data.seq));
  }

  async function untilDone(): Promise<void> {
    for (let [root] = noted; root !== undefined; [root] = noted) {
      noted.delete(root);
      await catchUp(root).catch((error: unknown) => {
        written.delete(root);
        if (!told) onWarning(`${LOG_FILE} is not kept up: ${error instanceof Error ? error.message : String(error)}`);
        told = true;
      });
    }
    work = null;
  }

  return {
    note(runId) {
      noted.add(runId.split("/")[0] ?? runId);
      work ??= new Promise<void>((resolve) => setImmediate(resolve)).then(untilDone);
    },
    settle: () => work ?? Promise.resolve(),
  };
}

/** Runs that have ended and whose log is gone; of one that was pruned nothing is left to write. */
export async function missingRunLogs(db: Db, layout: Layout): Promise<string[]> {
  const ended = await db
    .selectFrom("runs")
    .select("run_id")
    .where("parent_run_id", "is", null)
    .where("finished_at", "is not", null)
    .where("pruned_at", "is", null)
    .execute();
  return ended.map(({ run_id }) => run_id).filter((id) => !existsSync(join(layout.run(id), LOG_FILE)));
}

/** The last event of each stream that is in the file. */
type Cursor = Map<string, number>;

/** A line that a crash cut off is taken away, and so is one whose event a power cut has taken: it is written again. */
async function cursorIn(db: Db, file: string): Promise<Cursor> {
  const cursor: Cursor = new Map();
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(file, Buffer.byteLength(whole));
  const heads = new Map((await db.selectFrom("heads").select(["stream", "seq"]).execute()).map(({ stream, seq }) => [stream, seq]));
  const lines = whole.split("\n").filter((one) => one !== "");
  const known = lines.filter((line) => {
    const { stream, seq } = (JSON.parse(line) as LogLine).data;
    if (seq > (heads.get(stream) ?? 0)) return false;
    cursor.set(stream, Math.max(cursor.get(stream) ?? 0, seq));
    return true;
  });
  if (known.length < lines.length) await writeFileAtomic(nodeFileSystem, file, Buffer.from(known.map((line) => `${line}\n`).join("")));
  return cursor;
}

async function newLines(db: Db, root: string, cursor: Cursor): Promise<LogLine[]> {
  const heads = await db
    .selectFrom("heads")
    .selectAll()
    .where((where) =>
      where.or([
        where("stream", "=", REPOSITORY_STREAM),
        where("stream", "in", db.selectFrom("runs").select("run_id").where("root_run_id", "=", root)),
      ]),
    )
    .execute();
  const events: JournalEvent[] = [];
  for (const { stream, seq } of heads) {
    const from = cursor.get(stream) ?? 0;
    if (from >= seq) continue;
    const news = db.selectFrom("events").selectAll().where("stream", "=", stream).where("seq", ">", from).orderBy("seq");
    // "0" is the character after "/": the keys between are the run's own.
    const own = stream === REPOSITORY_STREAM ? news.where("key", ">=", `${root}/`).where("key", "<", `${root}0`) : news;
    events.push(...(await own.execute()));
    if (stream === REPOSITORY_STREAM) cursor.set(stream, seq);
  }
  const paid = await telemetryFor(db, events);
  return events.toSorted((a, b) => a.at - b.at).map((event) => lineOf(event, paid.get(event.key ?? "") ?? null));
}

async function telemetryFor(db: Db, events: readonly JournalEvent[]) {
  const ids = events.flatMap(({ kind, name, key }) => (kind === "operation" && name === INVOCATION && key !== null ? [key] : []));
  const rows = ids.length === 0 ? [] : await db.selectFrom("telemetry").selectAll().where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
