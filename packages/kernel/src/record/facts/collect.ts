import { canonicalJson, sha256, type Json } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import type { Tables, Tx } from "../database/tables.ts";

/** A table whose rows are bound to the journal. The key of a row is its one-column primary key. */
export type FactTable = keyof Tables & string;

/** Digests of rows by table and key, as an event has them; null for a row that was removed. */
export type RecordedFacts = { readonly [table: string]: { readonly [key: string]: string | null } };

type Collected = Record<string, Record<string, string | null>>;

/** The facts of the operation that commits in a transaction. */
const collecting = new WeakMap<object, Collected>();

/** Runs the commit of one operation; every row it binds comes with its result. */
export async function collectFacts<T>(
  tx: Tx,
  commit: () => Promise<T>,
): Promise<{ readonly output: T; readonly facts: RecordedFacts | null }> {
  const facts: Collected = {};
  collecting.set(tx, facts);
  try {
    const output = await commit();
    return { output, facts: Object.keys(facts).length === 0 ? null : facts };
  } finally {
    collecting.delete(tx);
  }
}

/** Binds a row, as it is stored now, to the event of the operation that is being committed; null if the operation removes it. */
export function recordFact(tx: Tx, table: FactTable, key: string, row: object | null): void {
  const facts = collecting.get(tx);
  if (facts === undefined) {
    throw new SlipwayError("internal_error", `A row of ${table} was written outside an operation: no event of the journal would bind it.`);
  }
  (facts[table] ??= {})[key] = row === null ? null : rowDigest(row);
}

/** SHA-256 over the RFC 8785 text of the row. Empty columns are left out, so that a column added later does not change the digest. */
export function rowDigest(row: object): string {
  const filled = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  return sha256(canonicalJson(Object.fromEntries(filled) as { [column: string]: Json }));
}
