import { migrateFactory } from "../../tables.ts";
import { openBench, type Bench } from "@slipway/kernel/record/operations/testing/door";
import { openCodeIndex, type CodeIndex, type IndexCall } from "../code-index.ts";
import { newEntry, type NewEntry } from "../entry.ts";
import type { EmbeddingModel } from "@slipway/agents/embeddings/model";

export interface ScratchIndex extends Bench {
  readonly index: CodeIndex;
  /** The same database with another model, or as another process sees it. */
  readonly reopened: (model?: EmbeddingModel) => CodeIndex;
  readonly ship: (...entries: readonly NewEntry[]) => Promise<void>;
}

let calls = 0;
export const asSystem = (operationId = `op ${++calls}`): IndexCall => ({ actor: { type: "system", id: "test" }, operationId });

export async function openScratchIndex(model?: EmbeddingModel): Promise<ScratchIndex> {
  const bench = await openBench();
  await migrateFactory(bench.db, bench.folder);
  const reopened = (another = model) => openCodeIndex({ db: bench.db, door: bench.another(), ...(another && { model: another }) });
  const index = reopened();
  return {
    ...bench,
    index,
    reopened,
    async ship(...entries) {
      for (const entry of entries) await index.append(asSystem(), entry);
    },
  };
}

export function entry(name: string, fields: Partial<NewEntry> = {}): NewEntry {
  const version = fields.version ?? "1.0.0";
  return newEntry.parse({
    module_id: `MM-${name}`,
    version,
    name,
    purpose: `Does what ${name} says.`,
    tags: [],
    contract_ref: `modules/MM-${name}/${version}/contract.json`,
    examples_ref: `modules/MM-${name}/${version}/examples.md`,
    ship_ref: "SHIP-0a1b2c3d",
    io_summary: { inputs: ["text: string"], outputs: ["value: number"], error_surfaces: [], effects: [], modes: ["sync"] },
    dependencies: [],
    ...fields,
  });
}

/** Hand-written vectors: a text gets the vector whose key it contains, and otherwise one without a direction. */
export function modelOf(id: string, vectors: Readonly<Record<string, readonly number[]>>, dimensions = 256): EmbeddingModel {
  return {
    id,
    kind: "dense",
    dimensions,
    maxTokens: 512,
    levels: { weak: 0.3, duplicate: 0.9 },
    embed: (texts) =>
      Promise.resolve(
        texts.map((text) => {
          const [, values = [1]] = Object.entries(vectors).find(([key]) => text.includes(key)) ?? [];
          return Float32Array.from({ length: dimensions }, (_, dimension) => values[dimension] ?? 0);
        }),
      ),
  };
}
