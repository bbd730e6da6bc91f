import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { embeddingText, type EntryContent } from "./entry.ts";
import { embedAll, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { addGeneration, insertEmbedding, tipOf } from "./store.ts";

const BATCH = 256;

/** Recomputes all embeddings with the given model. Entries and statuses are only read. */
export function reindexOperation(
  db: Db,
  model: EmbeddingModel,
): Operation<Record<string, never>, ReadonlyMap<number, Float32Array>, { model: string; entries: number }> {
  return {
    name: "code_index.reindex",
    roles: ["orchestrator", "system", "person"],
    input: z.strictObject({}),
    unclaimed: true,
    effect: () => embeddings(db, model),
    async commit(tx, _input, vectors, { at }) {
      await assertComplete(tx, vectors);
      const { generation } = await addGeneration(tx, model, at);
      for (const [position, vector] of vectors) await insertEmbedding(tx, generation, position, vector);
      await tx.deleteFrom("code_index_embeddings").where("generation", "<", generation).execute();
      return { model: model.id, entries: vectors.size };
    },
    event: (_input, output) => output,
  };
}

async function embeddings(db: Db, model: EmbeddingModel): Promise<Map<number, Float32Array>> {
  const vectors = new Map<number, Float32Array>();
  for (;;) {
    const page = await db
      .selectFrom("code_index_entries")
      .select(["position", "content"])
      .where("position", ">", vectors.size)
      .orderBy("position")
      .limit(BATCH)
      .execute();
    if (page.length === 0) return vectors;
    const made = await embedAll(
      model,
      page.map(({ content }) => embeddingText(JSON.parse(content) as EntryContent)),
    );
    for (const [index, { position }] of page.entries()) {
      const vector = made[index];
      if (vector !== undefined) vectors.set(position, vector);
    }
  }
}

/** Another process may have shipped a module while the model was computing. */
async function assertComplete(tx: Tx, vectors: ReadonlyMap<number, unknown>): Promise<void> {
  const { position: entries } = await tipOf(tx);
  if (entries === vectors.size) return;
  throw new SlipwayError("version_conflict", `The code index grew from ${vectors.size} to ${entries} entries during the reindex.`, {
    embedded: vectors.size,
    entries,
    suggested_next_actions: ["Run it again."],
  });
}
