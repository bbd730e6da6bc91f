import { sql } from "kysely";
import { SlipwayError } from "../../schema/errors.ts";
import type { Db, Tx } from "../database/tables.ts";
import { rowDigest, type FactTable } from "./collect.ts";
import type { RecordedFact, JournalFacts } from "./read-back.ts";

export interface Tampered {
  readonly table: string;
  readonly key: string;
  readonly reason: "changed" | "missing" | "invented";
  /** The event that recorded the row; null for an invented one. */
  readonly seq: number | null;
  readonly message: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Tables of the kernel: a row there that no event recorded was invented, even if no event has recorded any. */
const BOUND: readonly FactTable[] = ["checks", "approvals", "merges", "deleted_features", "egress"];

/** What is wrong with a row, compared with the journal; null if nothing is. */
export function rowFault(facts: JournalFacts, table: string, key: string, row: object): Tampered | null {
  const fact = facts.about(table, key);
  if (fact === undefined) return faulty(table, key, "invented", null);
  if (fact.digest === null) return faulty(table, key, "invented", fact);
  return fact.digest === rowDigest(row) ? null : faulty(table, key, "changed", fact);
}

/** What is wrong with a row that the journal has recorded and the table does not have; null if it was removed or never recorded. */
export function absentRow(facts: JournalFacts, table: string, key: string): Tampered | null {
  const fact = facts.about(table, key);
  return fact === undefined || fact.digest === null ? null : faulty(table, key, "missing", fact);
}

/** Rows that the journal recorded and the table no longer has. Reads only the keys. */
export async function missingRows(db: Db | Tx, facts: JournalFacts, table: string): Promise<Tampered[]> {
  const recorded = facts.of(table);
  const column = recorded.size === 0 ? null : await keyColumn(db, table);
  if (column === null) return [];
  const { rows } = await sql<{ key: unknown }>`SELECT ${sql.ref(column)} AS key FROM ${sql.table(table)}`.execute(db);
  const there = new Set(rows.map(({ key }) => String(key)));
  return [...recorded].filter(([key]) => !there.has(key)).map(([key, fact]) => faulty(table, key, "missing", fact));
}

/** Every row of the tables whose rows are bound, against the journal. */
export async function compareAll(db: Db | Tx, facts: JournalFacts): Promise<Tampered[]> {
  const found: Tampered[] = [];
  for (const table of new Set([...BOUND, ...facts.tables()])) {
    const column = await keyColumn(db, table);
    // The table of a protocol that this version does not have.
    if (column === null) continue;
    const { rows } = await sql<Row>`SELECT * FROM ${sql.table(table)}`.execute(db);
    found.push(...rows.flatMap((row) => rowFault(facts, table, String(row[column]), row) ?? []));
    found.push(...(await missingRows(db, facts, table)));
  }
  return found;
}

export function assertUntouched(faults: readonly (Tampered | null)[]): void {
  const found = faults.filter((fault) => fault !== null);
  const [first] = found;
  if (first === undefined) return;
  const { table, key, seq, reason, message } = first;
  throw new SlipwayError("evidence_tampered", `${message} Nothing was merged or signed.`, {
    table,
    key,
    event: seq,
    reason,
    rows: found.length,
    suggested_next_actions: [
      "Run `slipway journal verify`: it names every such row.",
      "Restore slipway/ below the git directory from a copy, or begin again in a new clone.",
    ],
  });
}

async function keyColumn(db: Db | Tx, table: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_info(${table}) WHERE pk = 1`.execute(db);
  return rows[0]?.name ?? null;
}

function faulty(table: string, key: string, reason: Tampered["reason"], fact: RecordedFact | null): Tampered {
  return { table, key, reason, seq: fact?.seq ?? null, message: `The row ${key} of ${table} ${inWords(reason, fact)}.` };
}

function inWords(reason: Tampered["reason"], fact: RecordedFact | null): string {
  if (fact === null) return "was not written by Slipway: no event of the journal recorded it";
  const event = `event ${fact.seq} (${fact.event})`;
  if (reason === "changed") return `was changed after ${event} recorded it`;
  return reason === "missing" ? `was deleted after ${event} recorded it` : `was put back after ${event} removed it`;
}
