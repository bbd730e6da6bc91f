import { SlipwayError } from "@slipway/agents/errors";
import { sql, type Selectable } from "kysely";
import { preparedQuery } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import { refOf, type CodeIndexEntry, type EntryContent, type IndexStatus, type NewEntry } from "./entry.ts";
import type { CodeIndexTables } from "./tables.ts";
import { wordsOf } from "@slipway/agents/embeddings/words";

export interface Generation {
  readonly generation: number;
  readonly model: string;
  readonly dimensions: number;
}

const latestGeneration = preparedQuery((db) =>
  db.selectFrom("code_index_models").select(["generation", "model", "dimensions"]).orderBy("generation", "desc").limit(1),
);

export async function currentGeneration(db: Db | Tx): Promise<Generation | undefined> {
  return (await latestGeneration(db))[0];
}

/** The end of the index; a reader compares it with what it has read. */
export interface Tip {
  readonly position: number;
  readonly retirement: number;
}

export async function tipOf(db: Db | Tx): Promise<Tip> {
  return (await tip(db))[0] ?? { position: 0, retirement: 0 };
}

const tip = preparedQuery((db) => ({
  compile: () =>
    sql<Tip>`
      SELECT (SELECT coalesce(max(position), 0) FROM code_index_entries) AS position,
             (SELECT coalesce(max(sequence), 0) FROM code_index_retirements) AS retirement
    `.compile(db),
}));

export async function addGeneration(
  tx: Tx,
  { id, dimensions }: { readonly id: string; readonly dimensions: number },
  at: number,
): Promise<Generation> {
  const before = await currentGeneration(tx);
  const generation = { generation: (before?.generation ?? 0) + 1, model: id, dimensions };
  await tx
    .insertInto("code_index_models")
    .values({ ...generation, at })
    .execute();
  return generation;
}

export async function insertEntry(tx: Tx, entry: NewEntry, vector: Float32Array, generation: number, at: number): Promise<number> {
  const { status: _status, superseded_by: _none, notes, ...content } = entry;
  const { module_id, version } = content;
  const taken = await tx
    .selectFrom("code_index_entries")
    .select("position")
    .where("module_id", "=", module_id)
    .where("version", "=", version)
    .executeTakeFirst();
  if (taken !== undefined) throw alreadyThere(refOf(content));
  const position = (await tipOf(tx)).position + 1;
  await tx
    .insertInto("code_index_entries")
    .values({ position, module_id, version, content: JSON.stringify(content), notes, at })
    .execute();
  await insertEmbedding(tx, generation, position, vector);
  await tx
    .insertInto("code_index_words")
    .values({ rowid: position, words: lexicalText(content) })
    .execute();
  return position;
}

export async function insertEmbedding(tx: Tx, generation: number, position: number, vector: Float32Array): Promise<void> {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  await tx.insertInto("code_index_embeddings").values({ generation, position, vector: bytes }).execute();
}

/** Stemmed like queries. */
function lexicalText({ module_id, name, purpose, tags, io_summary }: EntryContent): string {
  const text = [module_id, name, purpose, ...tags, ...Object.values(io_summary).flat()].join(" ");
  return [...new Set(wordsOf(text).map(({ stem }) => stem))].join(" ");
}

type Row = Pick<Selectable<CodeIndexTables["code_index_entries"]>, "position" | "content" | "notes"> & {
  readonly status: "DEPRECATED" | "SUPERSEDED" | null;
  readonly superseded_by: string | null;
  readonly note: string | null;
};

function entriesWithStatus(db: Db | Tx) {
  return db
    .selectFrom("code_index_entries as entry")
    .leftJoin("code_index_retirements as retired", "retired.position", "entry.position")
    .select(["entry.position", "entry.content", "entry.notes", "retired.status", "retired.superseded_by", "retired.note"]);
}

export interface Placed {
  readonly position: number;
  readonly entry: CodeIndexEntry;
}

export async function findEntry(db: Db | Tx, module_id: string, version: string): Promise<Placed | undefined> {
  const [row] = await entryRow(db, module_id, version);
  return row && placed(row);
}

const entryRow = preparedQuery((db, module_id: string, version: string) =>
  entriesWithStatus(db).where("entry.module_id", "=", module_id).where("entry.version", "=", version),
);

const moduleRows = preparedQuery((db, module_id: string) =>
  entriesWithStatus(db).where("entry.module_id", "=", module_id).orderBy("entry.position"),
);

export async function entriesOf(db: Db | Tx, module_id: string): Promise<CodeIndexEntry[]> {
  return (await moduleRows(db, module_id)).map((row) => placed(row).entry);
}

export async function entriesAt(db: Db | Tx, positions: readonly number[]): Promise<Map<number, CodeIndexEntry>> {
  if (positions.length === 0) return new Map();
  const rows = await entriesWithStatus(db).where("entry.position", "in", positions).execute();
  return new Map(rows.map((row) => [row.position, placed(row).entry]));
}

/** In the order they were shipped. */
export async function allEntries(db: Db | Tx): Promise<CodeIndexEntry[]> {
  const rows = await entriesWithStatus(db).orderBy("entry.position").execute();
  return rows.map((row) => placed(row).entry);
}

export interface IndexState {
  readonly counts: Readonly<Record<IndexStatus, number>>;
  readonly modules: number;
  /** Null until the first module ships. */
  readonly embedded_with: { readonly model: string; readonly dimensions: number } | null;
}

export async function indexState(db: Db): Promise<IndexState> {
  const { rows } = await sql<{ status: IndexStatus; entries: number }>`
    SELECT coalesce(retired.status, 'SHIPPED') AS status, count(*) AS entries
    FROM code_index_entries AS entry LEFT JOIN code_index_retirements AS retired ON retired.position = entry.position
    GROUP BY 1
  `.execute(db);
  const { modules } = await db
    .selectFrom("code_index_entries")
    .select((select) => select.fn.count<number>("module_id").distinct().as("modules"))
    .executeTakeFirstOrThrow();
  const current = await currentGeneration(db);
  const none = { SHIPPED: 0, DEPRECATED: 0, SUPERSEDED: 0 };
  return {
    counts: { ...none, ...Object.fromEntries(rows.map(({ status, entries }) => [status, Number(entries)])) },
    modules: Number(modules),
    embedded_with: current === undefined ? null : { model: current.model, dimensions: current.dimensions },
  };
}

function placed(row: Row): Placed {
  const { position, content, notes, status, superseded_by, note } = row;
  const preparedQuery = JSON.parse(content) as EntryContent;
  const all = [notes, note ?? ""].filter((part) => part !== "").join("\n");
  return { position, entry: { ...preparedQuery, status: status ?? "SHIPPED", superseded_by, notes: all } };
}

function alreadyThere(ref: string): SlipwayError {
  return new SlipwayError("policy_violation", `${ref} is in the code index already, and an entry is never replaced.`, {
    module_ref: ref,
    rule: "append_only",
    suggested_next_actions: [`Ship the change as a new version of ${ref.split("@")[0]}.`],
  });
}
