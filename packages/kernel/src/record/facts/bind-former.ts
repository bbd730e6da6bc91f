import type { Tx } from "../database/tables.ts";
import type { FactTable, RecordedFacts } from "./collect.ts";

const FORMER_TABLES = { checks: "id", approvals: "id", merges: "feature_id", deleted_features: "label" } as const;

/** Binds the rows of the kernel that earlier versions recorded. */
export function bindFormerFacts(tx: Tx): Promise<void> {
  return bindFormerRows(tx, FORMER_TABLES);
}

/**
 * Binds rows that were recorded before their table was bound, as they are now. They are marked: a merge does not rely on them, and evidence
 * says so. A later change of one of them is found like any other.
 */
export async function bindFormerRows(tx: Tx, tables: Partial<Readonly<Record<FactTable, string>>>): Promise<void> {
  const { rowDigest } = await import("./collect.ts");
  const facts: Record<string, Record<string, string>> = {};
  for (const [table, key] of Object.entries(tables)) {
    const rows = (await tx
      .selectFrom(table as "checks")
      .selectAll()
      .execute()) as Readonly<Record<string, unknown>>[];
    if (rows.length > 0) facts[table] = Object.fromEntries(rows.map((row) => [String(row[key]), rowDigest(row)]));
  }
  // A migration has no clock.
  const last = await tx.selectFrom("events").select("at").orderBy("at", "desc").limit(1).executeTakeFirst();
  await appendFormer(tx, facts, last?.at ?? 0);
}

async function appendFormer(tx: Tx, facts: RecordedFacts, at: number): Promise<void> {
  if (Object.keys(facts).length === 0) return;
  const { appendFacts, FORMER_FACTS } = await import("./append.ts");
  const { repositoryJournal } = await import("../journal/repository.ts");
  // Events with facts are short, so none is stored as an object.
  const journal = repositoryJournal({ put: noObject, get: noObject });
  await appendFacts(journal, tx, { name: FORMER_FACTS, key: `${FORMER_FACTS}:${Object.keys(facts).join(",")}`, at }, facts);
}

function noObject(): never {
  throw new Error("An event with facts was too long for the journal.");
}
