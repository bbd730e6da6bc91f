import { z } from "zod";
import type { Db } from "@slipway/kernel/record/database/tables";
import { codeIndexEntry, type CodeIndexEntry } from "./entry.ts";
import type { Facets, Filter } from "./facets.ts";
import { lexicalMatches } from "./lexical.ts";
import type { VectorMatrix } from "./matrix.ts";
import { embedOne, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { entriesAt } from "./store.ts";

const filterList = z.array(z.string().trim().min(1));

/** The input of `search_code_index`. An empty list filters nothing. */
export const searchInput = z.strictObject({
  query: z.string().trim().min(1).describe("What the module should do, in plain words."),
  tags: filterList.optional().describe("Only modules with at least one of these tags."),
  input_types: filterList.optional().describe("Only modules that take at least one of these types."),
  output_types: filterList.optional().describe("Only modules that give at least one of these types."),
  include_inactive: z.boolean().default(false).describe("Also DEPRECATED and SUPERSEDED modules."),
  top_k: z.int().min(1).max(1000).default(10),
});
export type SearchInput = z.input<typeof searchInput>;

export const searchResult = codeIndexEntry.extend({ similarity_score: z.number().min(0).max(1) });
export type IndexSearchResult = z.output<typeof searchResult>;

export interface SearchAnswer {
  /** The most similar entries, best first, whatever their score. */
  readonly results: readonly IndexSearchResult[];
  /** Whether even the best result has a low score. */
  readonly weak: boolean;
  /** Filled only when weak: entries that share words with the query, such as names and ids. */
  readonly lexical_matches: readonly IndexSearchResult[];
}

interface Grounds {
  readonly db: Db;
  readonly model: EmbeddingModel;
  readonly facets: Facets;
  readonly matrix: VectorMatrix;
}

/** Filters, excludes inactive entries, then ranks by similarity and takes the best `top_k`. */
export async function search({ db, model, facets, matrix }: Grounds, input: z.output<typeof searchInput>): Promise<SearchAnswer> {
  const among = facets.matching(filtersOf(input), input.include_inactive);
  const query = await embedOne(model, input.query);
  const hits = matrix.nearest(query, among, input.top_k);
  const weak = (hits[0]?.similarity ?? 0) < model.levels.weak;
  const others = weak ? await lexicalRows() : [];
  const entries = await entriesAt(
    db,
    [...hits.map(({ row }) => row), ...others].map((row) => row + 1),
  );
  return {
    results: hits.flatMap(({ row, similarity }) => scored(entries.get(row + 1), similarity)),
    weak,
    lexical_matches: others.flatMap((row) => scored(entries.get(row + 1), similarityOf(row))),
  };

  async function lexicalRows(): Promise<number[]> {
    const allowed = new Set(among);
    for (const { row } of hits) allowed.delete(row);
    const positions = await lexicalMatches(db, input.query, (position) => allowed.has(position - 1), input.top_k);
    return positions.map((position) => position - 1);
  }

  function similarityOf(row: number): number {
    const [hit] = matrix.nearest(query, Uint32Array.of(row), 1);
    return hit?.similarity ?? 0;
  }
}

function filtersOf({ tags, input_types, output_types }: SearchInput): Filter[] {
  const filters: readonly [Filter["facet"], readonly string[] | undefined][] = [
    ["tag", tags],
    ["input", input_types],
    ["output", output_types],
  ];
  return filters.flatMap(([facet, values]) => (values === undefined || values.length === 0 ? [] : [{ facet, values }]));
}

/** A negative cosine counts as no similarity. */
function scored(entry: CodeIndexEntry | undefined, similarity: number): IndexSearchResult[] {
  return entry === undefined ? [] : [{ ...entry, similarity_score: Math.min(1, Math.max(0, similarity)) }];
}
