import { afterEach, describe, expect, test } from "vitest";
import { openCodeIndex } from "./code-index.ts";
import { hashedModel } from "@slipway/agents/embeddings/hashed-model";
import { embedAll, embedOne, type EmbeddingModel } from "@slipway/agents/embeddings/model";
import { asSystem, entry, modelOf, openScratchIndex, type ScratchIndex } from "./testing/scratch-index.ts";

let scratch: ScratchIndex | undefined;
const open = async (model: EmbeddingModel) => (scratch = await openScratchIndex(model));
afterEach(async () => {
  await scratch?.close();
  scratch = undefined;
});

const plain = modelOf("plain", {});

describe("[FAC-182] a model", () => {
  test.each([
    ["255 dimensions", { dimensions: 255 }],
    ["1537 dimensions", { dimensions: 1537 }],
    ["300.5 dimensions", { dimensions: 300.5 }],
    ["takes 511 tokens", { maxTokens: 511 }],
    ["are sparse", { kind: "sparse" as const }],
    ["no id", { id: "" }],
  ])("with %s is refused", async (problem, fields) => {
    const { db, door } = await open(plain);
    const call = () => openCodeIndex({ db, door, model: { ...plain, ...fields } });
    expect(call).toThrow(expect.objectContaining({ code: "config_invalid" }));
    expect(call).toThrow(problem);
  });

  test.each([256, 384, 1000, 1536])("of %i dimensions is accepted", async (dimensions) => {
    const { index, ship } = await open(modelOf("m", { "one thing": [1, 0.2], "another thing": [0, 1] }, dimensions));
    await ship(entry("one", { purpose: "one thing" }), entry("two", { purpose: "another thing" }));
    const { results } = await index.search({ query: "one thing" });
    expect(results.map(({ name, similarity_score }) => [name, Number(similarity_score.toFixed(3))])).toEqual([
      ["one", 1],
      ["two", 0.196],
    ]);
  });

  test("the built-in one is within the limits and needs nothing", () => {
    expect(hashedModel).toMatchObject({ kind: "dense", dimensions: 384, maxTokens: Infinity });
  });
});

describe("a model that returns wrong vectors is refused at once", () => {
  const broken = (vectors: readonly Float32Array[]): EmbeddingModel => ({ ...plain, embed: () => Promise.resolve(vectors) });
  test.each([
    ["too few", []],
    ["of 3 dimensions", [new Float32Array(3).fill(1)]],
    ["of length 0", [new Float32Array(256)]],
    ["of length NaN", [new Float32Array(256).fill(NaN)]],
  ])("%s", async (_problem, vectors) => {
    await expect(embedOne(broken(vectors), "x")).rejects.toMatchObject({ code: "provider_unavailable", details: { model: "plain" } });
  });

  test("vectors are normalised, without changing the model's own", async () => {
    const given = new Float32Array(256).fill(2);
    const [vector] = await embedAll(broken([given]), ["x"]);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
    expect(given[0]).toBe(2);
  });
});

describe("another model", () => {
  const before = modelOf("before", { left: [1, 0], right: [0, 1], asked: [1, 0] });
  const after = modelOf("after", { left: [0, 1, 0], right: [0, 0, 1], asked: [0, 0, 1] }, 300);

  test("is refused until all entries are embedded with it, and then is the only one", async () => {
    const { index, ship, reopened, db } = await open(before);
    await ship(entry("left", { purpose: "left" }), entry("right", { purpose: "right" }));
    await index.retire(asSystem(), { module_ref: "MM-left@1.0.0", status: "DEPRECATED", superseded_by: null, note: "n" });
    const all = { query: "asked", include_inactive: true };
    expect((await index.search(all)).results.map(({ name }) => name)).toEqual(["left", "right"]);
    const entries = await index.snapshot();

    const changed = reopened(after);
    const refusal = { code: "config_invalid", details: { embedded_with: "before", configured: "after" } };
    await expect(changed.search(all)).rejects.toMatchObject(refusal);
    await expect(changed.append(asSystem(), entry("new"))).rejects.toMatchObject(refusal);
    expect(await changed.reindex(asSystem())).toEqual({ model: "after", entries: 2 });

    expect((await changed.search(all)).results.map(({ name }) => name)).toEqual(["right", "left"]);
    expect(await changed.snapshot()).toEqual(entries);
    await expect(index.search(all)).rejects.toMatchObject({ code: "config_invalid", details: { embedded_with: "after" } });
    const vectors = await db.selectFrom("code_index_embeddings").select(["generation", "vector"]).execute();
    expect(vectors.map(({ generation, vector }) => [generation, vector.byteLength])).toEqual([
      [2, 1200],
      [2, 1200],
    ]);
    await changed.append(asSystem(), entry("new", { purpose: "right" }));
    expect((await changed.search(all)).results.map(({ name }) => name)).toEqual(["right", "new", "left"]);
  });

  test("the same name with other dimensions is another model", async () => {
    const { ship, reopened } = await open(before);
    await ship(entry("left"));
    await expect(reopened(modelOf("before", {}, 300)).search({ query: "asked" })).rejects.toMatchObject({ code: "config_invalid" });
  });

  test("entries shipped while the model embeds are included", async () => {
    const { index, ship, reopened } = await open(before);
    await ship(entry("left"));
    let once = true;
    const slow: EmbeddingModel = {
      ...after,
      async embed(texts) {
        if (once && texts.length === 1) {
          once = false;
          const result = await after.embed(texts);
          meanwhile = index.append(asSystem(), entry("meanwhile"));
          return result;
        }
        return after.embed(texts);
      },
    };
    let meanwhile: Promise<unknown> = Promise.resolve();
    const changed = reopened(slow);
    const outcome = await changed.reindex(asSystem("reindex")).catch((error: unknown) => error);
    await meanwhile;
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "version_conflict", details: { retryable: true } });
    expect(await changed.reindex(asSystem())).toEqual({ model: "after", entries: 2 });
    expect((await changed.search({ query: "asked" })).results).toHaveLength(2);
  });

  test("a search during re-embedding with the same model sees everything", async () => {
    const { index, ship } = await open(before);
    await ship(entry("left", { purpose: "left" }), entry("right", { purpose: "right" }));
    const [found] = await Promise.all([index.search({ query: "asked" }), index.reindex(asSystem())]);
    expect(found.results).toHaveLength(2);
    expect((await index.search({ query: "asked" })).results.map(({ name }) => name)).toEqual(["left", "right"]);
  });
});
