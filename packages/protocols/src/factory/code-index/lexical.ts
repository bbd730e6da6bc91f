import { sql } from "kysely";
import { fixed } from "@slipway/kernel/record/database/prepared-query";
import type { Db } from "@slipway/kernel/record/database/tables";
import { wordsOf } from "@slipway/agents/embeddings/words";

/** A word that more entries than this have tells none of them apart. */
const COMMON = 500;
const MAX_WORDS = 24;

/**
 * Positions of entries that have words of the query, those with the rarer and the more words first. For what an embedding does not
 * see: names, ids, rare words.
 */
export async function lexicalMatches(db: Db, query: string, allowed: (position: number) => boolean, limit: number): Promise<number[]> {
  const stems = [...new Set(wordsOf(query).map(({ stem }) => stem))].slice(0, MAX_WORDS);
  const scores = new Map<number, number>();
  for (const stem of stems) {
    const rows = await rowsWith(db, `"${stem}"`);
    if (rows.length > COMMON) continue;
    const weight = 1 / Math.log2(2 + rows.length);
    for (const { rowid } of rows) if (allowed(rowid)) scores.set(rowid, (scores.get(rowid) ?? 0) + weight);
  }
  return [...scores]
    .toSorted(([earlier, one], [later, two]) => two - one || earlier - later)
    .slice(0, limit)
    .map(([position]) => position);
}

const rowsWith = fixed((db, word: string) => ({
  compile: () =>
    sql<{ rowid: number }>`SELECT rowid FROM code_index_words WHERE code_index_words MATCH ${word} LIMIT ${COMMON + 1}`.compile(db),
}));
