import type { Db } from "@slipway/kernel/record/database/tables";
import { parseInput, type Actor } from "@slipway/kernel/record/operations/operation";
import type { Door } from "@slipway/kernel/record/operations/door";
import { splitRef, type CodeIndexEntry } from "./entry.ts";
import { openFacets } from "./facets.ts";
import { hashedModel } from "@slipway/agents/embeddings/hashed-model";
import { assertModel, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { appendOperation, assertSameModel, retireOperation, type RetireInput } from "./operations.ts";
import { inRange } from "./range.ts";
import { reindexOperation } from "./reindex.ts";
import { search, searchInput, type SearchAnswer, type SearchInput } from "./search.ts";
import { allEntries, entriesAt, entriesOf, findEntry, indexState, tipOf, type IndexState } from "./store.ts";
import { openVectors } from "./vectors.ts";
import { vectorMatrix, type VectorMatrix } from "./matrix.ts";

export interface IndexCall {
  readonly actor: Actor;
  readonly operationId: string;
}

/** The shipped modules, one entry per version. Append-only. */
export interface CodeIndex {
  readonly model: EmbeddingModel;
  append(call: IndexCall, entry: unknown): Promise<{ module_ref: string; position: number }>;
  retire(call: IndexCall, change: RetireInput): Promise<{ module_ref: string; status: string }>;
  reindex(call: IndexCall): Promise<{ model: string; entries: number }>;
  search(input: SearchInput): Promise<SearchAnswer>;
  /** In any status. */
  find(ref: string): Promise<CodeIndexEntry | null>;
  versionsOf(moduleId: string): Promise<CodeIndexEntry[]>;
  /** Entries whose dependencies allow this version of the module. */
  dependentsOf(ref: string): Promise<CodeIndexEntry[]>;
  /** Number of entries, and the model of their vectors. */
  state(): Promise<IndexState>;
  /** Throws if the configured model is not the one the vectors come from. */
  assertSearchable(): Promise<void>;
  /** A copy of all entries, in the order they shipped. */
  snapshot(): Promise<readonly CodeIndexEntry[]>;
}

export interface CodeIndexOptions {
  readonly db: Db;
  readonly door: Door;
  readonly model?: EmbeddingModel;
}

export function openCodeIndex({ db, door, model = hashedModel }: CodeIndexOptions): CodeIndex {
  assertModel(model);
  const facets = openFacets();
  const vectors = openVectors();
  const append = appendOperation(model);
  const reindex = reindexOperation(db, model);

  /** A matrix that covers all rows of the filters. A concurrent reindex can remove vectors between the two reads: then try again. */
  async function matrixFor(): Promise<VectorMatrix> {
    for (;;) {
      const current = await assertSameModel(db, model);
      await facets.follow(db, await tipOf(db));
      const matrix = current === undefined ? vectorMatrix(model.dimensions) : await vectors.follow(db, current, facets.rows());
      if (matrix.rows() >= facets.rows()) return matrix;
    }
  }

  return {
    model,
    append: ({ actor, operationId }, entry) => door.perform(append, actor, operationId, entry),
    retire: ({ actor, operationId }, change) => door.perform(retireOperation, actor, operationId, change),
    reindex: ({ actor, operationId }) => door.perform(reindex, actor, operationId, {}),
    async search(given) {
      const input = parseInput({ name: "search_code_index", input: searchInput }, given);
      const matrix = await matrixFor();
      return search({ db, model, facets, matrix }, input);
    },
    async find(ref) {
      const { module_id, version } = splitRef(ref);
      return (await findEntry(db, module_id, version))?.entry ?? null;
    },
    versionsOf: (moduleId) => entriesOf(db, moduleId),
    async dependentsOf(ref) {
      const { module_id, version } = splitRef(ref);
      await facets.follow(db, await tipOf(db));
      const rows = facets.dependentsOf(module_id);
      const entries = await entriesAt(
        db,
        rows.map((row) => row + 1),
      );
      return [...entries.values()].filter(({ dependencies }) =>
        dependencies.map(splitRef).some((dependency) => dependency.module_id === module_id && inRange(version, dependency.version)),
      );
    },
    state: () => indexState(db),
    async assertSearchable() {
      await assertSameModel(db, model);
    },
    snapshot: () => allEntries(db),
  };
}
