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

export const LOG_FILE = "journal.jsonl";

/** Appends to `.slipway/runs/<run>/journal.jsonl` what the journal records. A run never waits for it and never fails because of it. */
export interface RunLog {
  /** Call after an event of this run or of a child. */
  note(runId: string): void;
  /** Resolves when all noted events are written. */
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
  let warned = false;

  async function catchUp(root: string): Promise<void> {
    const run = await db.selectFrom("runs").select("run_id").where("run_id", "=", root).executeTakeFirst();
    if (run === undefined) return;
    const file = join(layout.run(root), LOG_FILE);
    const present = existsSync(file);
    // If the file was removed during the run, write it again from the beginning.
    if (!present || !written.has(root)) written.set(root, cursorIn(db, file));
    const cursor = await (written.get(root) as Promise<Cursor>);
    const lines = await newLines(db, root, cursor);
    if (lines.length === 0) return;
    await ensureDirectory(nodeFileSystem, layout.run(root));
    const text = lines.map((line) => `${JSON.stringify(redactor.value(line))}\n`).join("");
    // A new file is written atomically: if two processes restore it at once, neither appends to the other's copy.
    if (present) await appendFile(file, text);
    else await writeFileAtomic(nodeFileSystem, file, Buffer.from(text), { durable: false });
    for (const { data } of lines) cursor.set(data.stream, Math.max(cursor.get(data.stream) ?? 0, data.seq));
  }

  async function untilDone(): Promise<void> {
    for (let [root] = noted; root !== undefined; [root] = noted) {
      noted.delete(root);
      await catchUp(root).catch((error: unknown) => {
        written.delete(root);
        if (!warned) onWarning(`${LOG_FILE} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        warned = true;
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

/** Ended runs whose log is missing, except pruned ones, whose events no longer exist. */
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

/** The sequence number of the last event of each stream in the file. */
type Cursor = Map<string, number>;

/** Removes an incomplete last line, and lines whose events a power cut removed from the journal. */
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
    // "0" is the character after "/", so this range contains the keys of the run.
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
