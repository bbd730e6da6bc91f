import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { embeddingText, type NewEntry } from "./entry.ts";
import type { EmbeddingModel } from "@slipway/agents/embeddings/model";
import { openVectors } from "./vectors.ts";
import { asSystem, entry, modelOf, openScratchIndex, type ScratchIndex } from "./testing/scratch-index.ts";

const io = (inputs: string[], outputs: string[]): NewEntry["io_summary"] => ({
  inputs,
  outputs,
  error_surfaces: [],
  effects: [],
  modes: [],
});

/** Angles to the query, written by hand. */
const model = modelOf("by-hand", {
  "what is asked": [1, 0],
  "purpose near": [0.9, 0.4],
  "purpose middle": [0.6, 0.8],
  "purpose far": [0.1, 0.99],
  "purpose opposite": [-1, 0],
});

let scratch: ScratchIndex;
const open = async (given: EmbeddingModel = model) => {
  scratch = await openScratchIndex(given);
  return scratch;
};
afterEach(() => scratch.close());

describe("a search", () => {
  beforeEach(async () => {
    await open();
    await scratch.ship(
      entry("far", { purpose: "purpose far", tags: ["text", "url"], io_summary: io(["title: string"], ["slug: string"]) }),
      entry("near", { purpose: "purpose near", tags: ["text"], io_summary: io(["amount: Money"], ["text: string"]) }),
      entry("opposite", { purpose: "purpose opposite", tags: ["money"], io_summary: io(["amount: Money"], ["amount: Money"]) }),
      entry("middle", { purpose: "purpose middle", tags: ["money"], io_summary: io(["rate: number"], ["amount: Money"]) }),
    );
  });
  const names = async (input: object) => (await scratch.index.search({ query: "what is asked", ...input })).results.map(({ name }) => name);

  test("[FAC-187] ranks by cosine similarity and keeps the best", async () => {
    expect(await names({})).toEqual(["near", "middle", "far", "opposite"]);
    expect(await names({ top_k: 2 })).toEqual(["near", "middle"]);
  });

  test("[FAC-187] filters before it ranks: at least one value of every list, types with or without names", async () => {
    expect(await names({ tags: ["url", "money"] })).toEqual(["middle", "far", "opposite"]);
    expect(await names({ tags: ["money"], top_k: 1 })).toEqual(["middle"]);
    expect(await names({ input_types: ["Money", "number"] })).toEqual(["near", "middle", "opposite"]);
    expect(await names({ input_types: ["amount: Money"] })).toEqual(["near", "opposite"]);
    expect(await names({ tags: ["money"], input_types: ["Money"], output_types: ["Money"] })).toEqual(["opposite"]);
    expect(await names({ tags: ["money"], output_types: ["string"] })).toEqual([]);
    expect(await names({ tags: ["nothing"] })).toEqual([]);
    expect(await names({ tags: [], input_types: [] })).toHaveLength(4);
  });

  test("[FAC-187] omits inactive entries unless requested", async () => {
    const { index } = scratch;
    await index.search({ query: "what is asked" });
    await index.retire(asSystem(), { module_ref: "MM-near@1.0.0", status: "DEPRECATED", superseded_by: null, note: "n" });
    await index.retire(asSystem(), { module_ref: "MM-far@1.0.0", status: "SUPERSEDED", superseded_by: "MM-middle@1.0.0", note: "n" });
    expect(await names({})).toEqual(["middle", "opposite"]);
    expect(await names({ tags: ["text"] })).toEqual([]);
    expect(await names({ include_inactive: true })).toEqual(["near", "middle", "far", "opposite"]);
    expect(await names({ include_inactive: true, tags: ["text"] })).toEqual(["near", "far"]);
  });

  test("[FAC-188] returns the whole entry with a score from 0 to 1, even a low one", async () => {
    const { results } = await scratch.index.search({ query: "what is asked" });
    const scores = results.map(({ similarity_score }) => Number(similarity_score.toFixed(2)));
    expect(scores).toEqual([0.91, 0.6, 0.1, 0]);
    const { similarity_score: _score, ...first } = results[0]!;
    expect(first).toEqual(await scratch.index.find("MM-near@1.0.0"));
  });

  test("[FAC-186] takes the tool's input, with ten results by default", async () => {
    await scratch.ship(...Array.from({ length: 12 }, (_, number) => entry(`more_${number}`, { purpose: "purpose far" })));
    expect(await names({})).toHaveLength(10);
    const refused = async (input: object, field: string) => {
      const call = scratch.index.search({ query: "what is asked", ...input });
      await expect(call).rejects.toMatchObject({ code: "schema_validation_failed" });
      await expect(call).rejects.toThrow(field);
    };
    await refused({ query: " " }, "/query");
    await refused({ query: 7 }, "/query");
    await refused({ tags: "text" }, "/tags");
    await refused({ top_k: 0 }, "/top_k");
    await refused({ include_inactive: "yes" }, "/include_inactive");
    await refused({ limit: 3 }, "/limit");
  });

  test("several at once read each entry once", async () => {
    const fresh = scratch.reopened();
    const found = await Promise.all(Array.from({ length: 4 }, () => fresh.search({ query: "what is asked", tags: ["text"] })));
    expect(found.map(({ results }) => results.map(({ name }) => name))).toEqual(found.map(() => ["near", "far"]));
  });

  test("a search does not wait for vectors that are not computed yet", async () => {
    const matrix = await openVectors().follow(scratch.db, { generation: 1, model: "by-hand", dimensions: 256 }, 9);
    expect(matrix.rows()).toBe(4);
  });

  test("sees entries that another process has shipped and retired since", async () => {
    const other = scratch.reopened();
    expect(await names({ tags: ["new"] })).toEqual([]);
    await other.append(asSystem(), entry("new", { purpose: "purpose near", tags: ["new"] }));
    await other.retire(asSystem(), { module_ref: "MM-near@1.0.0", status: "DEPRECATED", superseded_by: null, note: "n" });
    expect(await names({})).toEqual(["new", "middle", "far", "opposite"]);
    expect(await names({ tags: ["new"] })).toEqual(["new"]);
  });
});

describe("[FAC-181] the text of an embedding", () => {
  test("is purpose, tags and io summary as compact JSON, in the schema's order, and nothing else", async () => {
    const seen: string[] = [];
    await open({ ...model, embed: (texts) => (seen.push(...texts), model.embed(texts)) });
    const modes = { modes: ["sync"], effects: [], error_surfaces: ["Bad"], outputs: ["b: B"], inputs: ["a: A"] };
    await scratch.ship(entry("one", { purpose: "Does it.", tags: ["x", "y"], io_summary: modes, notes: "a note" }));
    expect(seen).toEqual(['Does it.\nx, y\n{"inputs":["a: A"],"outputs":["b: B"],"error_surfaces":["Bad"],"effects":[],"modes":["sync"]}']);
    expect(embeddingText(entry("two", { purpose: "P", tags: [] }))).toMatch(/^P\n\n\{/);
  });

  test("is the same for each entry when another model embeds it", async () => {
    await open();
    const entries = [entry("one", { purpose: "purpose near", tags: ["x"] }), entry("two", { purpose: "purpose far", notes: "a note" })];
    await scratch.ship(...entries);
    const seen: string[] = [];
    const another = modelOf("another", {});
    await scratch.reopened({ ...another, embed: (texts) => (seen.push(...texts), another.embed(texts)) }).reindex(asSystem());
    expect(seen).toEqual(entries.map(embeddingText));
  });
});

describe("low scores also match words", () => {
  test("a name that no embedding knows is found, beside the ranked results", async () => {
    await open();
    await scratch.ship(
      entry("haversine", { purpose: "purpose opposite" }),
      ...Array.from({ length: 3 }, (_, number) => entry(`filler_${number}`, { purpose: "purpose far", tags: ["geo"] })),
    );
    const found = await scratch.index.search({ query: "what is asked: haversine", top_k: 2 });
    expect(found.weak).toBe(true);
    expect(found.results.map(({ name }) => name)).toEqual(["filler_0", "filler_1"]);
    expect(found.lexical_matches.map(({ name, similarity_score }) => [name, similarity_score])).toEqual([["haversine", 0]]);
    const filtered = await scratch.index.search({ query: "what is asked: haversine", tags: ["geo"], top_k: 1 });
    expect(filtered.lexical_matches.map(({ name }) => name)).not.toContain("haversine");
  });

  test("a rare word counts more, and very common words count nothing", async () => {
    await open();
    const many = Array.from({ length: 501 }, (_, number) => entry(`common_${number}`, { purpose: "purpose far" }));
    await scratch.ship(...many, entry("rare_word", { purpose: "purpose opposite" }), entry("rare", { purpose: "purpose opposite" }));
    const { lexical_matches } = await scratch.index.search({ query: "what is asked, a common rare word", top_k: 1 });
    expect(lexical_matches.map(({ name }) => name)).toEqual(["rare_word"]);
  });

  test("a high score skips the word match", async () => {
    await open();
    await scratch.ship(entry("near", { purpose: "purpose near" }), entry("asked", { purpose: "purpose opposite" }));
    expect(await scratch.index.search({ query: "what is asked", top_k: 1 })).toMatchObject({ weak: false, lexical_matches: [] });
  });

  test("an empty index has no results, which is weak", async () => {
    await open();
    expect(await scratch.index.search({ query: "anything" })).toEqual({ results: [], weak: true, lexical_matches: [] });
  });
});
