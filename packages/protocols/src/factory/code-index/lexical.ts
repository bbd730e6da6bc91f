import { sql } from "kysely";
import { preparedQuery } from "@slipway/kernel/record/database/prepared-query";
import type { Db } from "@slipway/kernel/record/database/tables";
import { wordsOf } from "@slipway/agents/embeddings/words";

/** A word found in more entries than this does not discriminate. */
const COMMON = 500;
const MAX_WORDS = 24;

/**
 * Positions of entries that share words with the query, ranked by rarity and number of the words. Finds names, ids and rare words, which
 * embeddings miss.
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

const rowsWith = preparedQuery((db, word: string) => ({
  compile: () =>
    sql<{ rowid: number }>`SELECT rowid FROM code_index_words WHERE code_index_words MATCH ${word} LIMIT ${COMMON + 1}`.compile(db),
}));
