import { migrateFactory } from "../tables.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { systemClock } from "@slipway/durable/environment";
import { openDatabase } from "@slipway/kernel/open-database";
import type { Database } from "@slipway/kernel/record/database/open";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { repositoryJournal } from "@slipway/kernel/record/journal/repository";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { createDoor } from "@slipway/kernel/record/operations/door";
import { openCodeIndex, type CodeIndex } from "./code-index.ts";
import { embeddingText, newEntry, refOf, type NewEntry } from "./entry.ts";
import { dot } from "./matrix.ts";
import { embedAll, embedOne, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { addGeneration, insertEntry } from "./store.ts";

export interface IndexBenchOptions {
  readonly small?: number;
  readonly large?: number;
  readonly queries?: number;
  readonly appends?: number;
  readonly dimensions?: number;
}

const P95_MS = 10;
const FLAT = 2;
const TAGS = 10;
/** The fastest pass counts: other load on the machine can only slow a search down. */
const PASSES = 3;
/** Every n-th search is compared with brute force. */
const CHECKED = 5;

/**
 * Measures latency and recall of searches, and the cost of an append in a small and in a large index. Vectors are random directions: the
 * hardest case for the bounds, because all of them are about equally far apart.
 */
export async function benchCodeIndex(options: IndexBenchOptions = {}): Promise<BenchRow[]> {
  const { small = 1000, large = 100_000, queries = 200, appends = 100, dimensions = 384 } = options;
  const model = randomModel(dimensions);
  const [few, many] = [await openAt(model, small), await openAt(model, large)];
  try {
    const rows = [
      await searches(few, small, queries, ["tag-3"]),
      await searches(many, large, queries, ["tag-3"]),
      await searches(many, large, queries, []),
    ];
    return [...rows, await inserts(few, many, appends)];
  } finally {
    await few.close();
    await many.close();
  }
}

interface Filled {
  readonly index: CodeIndex;
  readonly size: number;
  readonly entries: readonly NewEntry[];
  readonly vectors: readonly Float32Array[];
  readonly model: EmbeddingModel;
  readonly close: () => Promise<void>;
}

async function openAt(model: EmbeddingModel, size: number): Promise<Filled> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-bench-index-"));
  const database = await openDatabase({ path: join(folder, "slipway.db") });
  await migrateFactory(database.db, folder);
  const blobs = objectStore(nodeFileSystem, join(folder, "objects"));
  const door = createDoor({ db: database.db, clock: systemClock, journal: repositoryJournal(blobs), blobs });
  const entries = Array.from({ length: size }, (_, number) => entryOf(number));
  const vectors = await embedAll(model, entries.map(embeddingText));
  await fill(database, model, entries, vectors);
  return {
    index: openCodeIndex({ db: database.db, door, model }),
    size,
    entries,
    vectors,
    model,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In one transaction: appends through the door would fsync one by one. */
async function fill(
  { db }: Database,
  model: EmbeddingModel,
  entries: readonly NewEntry[],
  vectors: readonly Float32Array[],
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { generation } = await addGeneration(tx, model, 0);
    for (const [number, entry] of entries.entries()) {
      const vector = vectors[number];
      if (vector !== undefined) await insertEntry(tx, entry, vector, generation, 0);
    }
  });
}

async function searches(filled: Filled, size: number, queries: number, tags: readonly string[]): Promise<BenchRow> {
  const { index, model } = filled;
  let times: number[] = [];
  const floor: number[] = [];
  let [found, wanted] = [0, 0];
  await index.search({ query: "to read everything once", tags: [...tags] });
  const answers: string[][] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    const taken: number[] = [];
    for (let number = 0; number < queries; number++) {
      const started = performance.now();
      const { results } = await index.search({ query: queryOf(number), tags: [...tags] });
      taken.push(performance.now() - started);
      answers[number] = results.map(refOf);
    }
    if (pass === 0 || quantile(taken, 0.95) < quantile(times, 0.95)) times = taken;
  }
  // After the measurement: brute force leaves garbage, and collecting it would count as search time.
  for (let number = 0; number < queries; number += CHECKED) {
    const vector = await embedOne(model, queryOf(number));
    const started = performance.now();
    const truth = bruteForce(filled, vector, tags);
    floor.push(performance.now() - started);
    wanted += truth.length;
    found += truth.filter((ref) => answers[number]?.includes(ref)).length;
  }
  const [p50, p95, brute] = [quantile(times, 0.5), quantile(times, 0.95), quantile(floor, 0.5)];
  const recall = found / wanted;
  return {
    what: `code index: search among ${size} entries of ${model.dimensions} dimensions, ${tags.length === 0 ? "no filter" : `a filter that 1 in ${TAGS} passes`}`,
    value: `p95 ${p95.toFixed(2)} ms, median ${p50.toFixed(2)} ms (brute force ${brute.toFixed(1)} ms), recall@10 ${recall.toFixed(3)}`,
    ratio: Number((p50 / brute).toFixed(3)),
    bar: tags.length === 0 ? "recall 1.0" : `p95 < ${P95_MS} ms, recall 1.0`,
    ok: recall === 1 && (tags.length === 0 || p95 < P95_MS),
  };
}

function queryOf(number: number): string {
  return `a module that nobody has described in these words ${number}`;
}

/** The definition of the result: the dot product with every vector that passes the filter. */
function bruteForce({ entries, vectors }: Filled, query: Float32Array, tags: readonly string[]): string[] {
  return entries
    .flatMap((entry, number) => {
      if (tags.length > 0 && !tags.some((tag) => entry.tags.includes(tag))) return [];
      return [{ ref: refOf(entry), similarity: dot(query, vectors[number] ?? query) }];
    })
    .toSorted((left, right) => right.similarity - left.similarity)
    .slice(0, 10)
    .map(({ ref }) => ref);
}

/** Alternates between the two, so that disk load affects both. */
async function inserts(few: Filled, many: Filled, appends: number): Promise<BenchRow> {
  const times = new Map([few, many].map((filled) => [filled, [] as number[]]));
  const actor = { type: "system", id: "bench" } as const;
  for (let number = 0; number < appends; number++)
    for (const [filled, into] of times) {
      const started = performance.now();
      await filled.index.append({ actor, operationId: `append ${number}` }, entryOf(filled.size + number));
      into.push(performance.now() - started);
    }
  const [one = 0, other = 0] = [...times.values()].map((values) => quantile(values, 0.5));
  const ratio = other / one;
  return {
    what: `code index: append at ${many.size} entries / at ${few.size}`,
    value: `${other.toFixed(2)} ms / ${one.toFixed(2)} ms (median of ${appends})`,
    ratio: Number(ratio.toFixed(2)),
    bar: `≤ ${FLAT}`,
    ok: ratio <= FLAT,
  };
}

function entryOf(number: number): NewEntry {
  return newEntry.parse({
    module_id: `MM-bench_${number}`,
    version: "1.0.0",
    name: `bench_${number}`,
    purpose: `Does the work numbered ${number} of kind ${number % 97} for the area ${number % 31}.`,
    tags: [`tag-${number % TAGS}`, `area-${number % 31}`],
    contract_ref: `MM-bench_${number}/1.0.0/contract.json`,
    examples_ref: `MM-bench_${number}/1.0.0/examples.md`,
    ship_ref: "SHIP-00000000",
    io_summary: { inputs: [`value: Kind${number % 97}`], outputs: ["result: string"], error_surfaces: [], effects: [], modes: ["sync"] },
    dependencies: number === 0 ? [] : [`MM-bench_${number - 1}@^1.0.0`],
  });
}

/** A pseudo-random direction for every text, the same each time. */
function randomModel(dimensions: number): EmbeddingModel {
  return {
    id: `random-directions-${dimensions}`,
    kind: "dense",
    dimensions,
    maxTokens: Infinity,
    levels: { weak: 0, duplicate: 0.95 },
    embed: (texts) => Promise.resolve(texts.map((text) => direction(text, dimensions))),
  };
}

function direction(text: string, dimensions: number): Float32Array {
  let state = 2166136261;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 16777619);
  const uniform = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  // The sum of four uniform values approximates a normal one well enough for a direction.
  return Float32Array.from({ length: dimensions }, () => uniform() + uniform() + uniform() + uniform() - 2);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
