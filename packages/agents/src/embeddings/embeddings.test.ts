import { stringify } from "yaml";
import { embedAll } from "./model.ts";
import { parseAgents } from "@slipway/kernel/config/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEmbeddingServer, type EmbeddingServer } from "../testing/embedding-server.ts";
import { openEmbeddings } from "./embeddings.ts";

let server: EmbeddingServer;
beforeEach(async () => {
  server = await openEmbeddingServer();
});
afterEach(() => server.close());

const KEY = "sk-embedding-key-4711";
const parsed = (embeddings: object, endpoint: object = { kind: "openai-compatible", key_env: "OWN" }) =>
  parseAgents(
    "slipway/agents.yaml",
    stringify({ version: 1, roles: {}, runtime: { api: { endpoints: { own: { base_url: server.baseUrl, ...endpoint } } }, embeddings } }),
  );
const LETTERS = { model: "own/letters/v1", dimensions: 256, max_tokens: 512 };
const open = (embeddings: object = {}, env: Record<string, string> = { OWN: KEY }, endpoint?: object) =>
  openEmbeddings({
    agents: parsed({ ...LETTERS, ...embeddings }, endpoint),
    env,
    conceal: (text) => text.replaceAll("hunter2", "[secret]"),
  });

test("without configuration it is the built-in one, and no server is asked", async () => {
  for (const agents of [null, parseAgents("slipway/agents.yaml", "version: 1\nroles: {}\n")]) {
    const model = openEmbeddings({ agents, env: {}, conceal: (text) => text });
    expect(model.id).toBe("slipway-hashed-384-v1");
    await model.embed(["a"]);
  }
  expect(server.seen).toEqual([]);
});

describe("a model over HTTP", () => {
  test("is requested by its own name, with the key of its endpoint, and without secrets", async () => {
    const model = open();
    expect(model).toMatchObject({ id: "own/letters/v1", dimensions: 256, maxTokens: 512, levels: { weak: 0.3, duplicate: 0.85 } });
    const [one, two] = await embedAll(model, ["ab", "the password is hunter2"]);
    expect(one).toHaveLength(256);
    expect(two).not.toEqual(one);
    expect(server.seen).toMatchObject([
      { url: "/v1/embeddings", key: `Bearer ${KEY}`, body: { model: "letters/v1", input: ["ab", "the password is [secret]"] } },
    ]);
    expect(server.seen[0]?.body).not.toHaveProperty("dimensions");
  });

  test("is asked for the configured dimensions, in batches", async () => {
    const texts = Array.from({ length: 130 }, (_, at) => `text ${at}`);
    const vectors = await embedAll(open({ ask_for_dimensions: true, weak: 0.1, duplicate: 0.9 }), texts);
    expect(vectors).toHaveLength(130);
    expect(server.seen.map(({ body }) => [(body["input"] as string[]).length, body["dimensions"]])).toEqual([
      [64, 256],
      [64, 256],
      [2, 256],
    ]);
  });

  test("an endpoint without a key gets none", async () => {
    await open({}, { OPENAI_API_KEY: KEY }, { kind: "openai-compatible" }).embed(["a"]);
    expect(server.seen[0]?.key).toBeUndefined();
  });

  test.each([
    [401, { error: { message: `Incorrect API key provided: ${KEY}` } }, "provider_auth_missing", "It does not accept the key in OWN"],
    [429, { error: { message: "slow down" } }, "rate_limited", "own/letters/v1 is limiting requests"],
    [404, { error: { message: `no model for ${KEY}` } }, "agent_failed", "is not available with this key"],
    [500, { error: { message: `oops ${KEY}` } }, "provider_unavailable", "own/letters/v1 failed (500)"],
    [200, { data: "nothing" }, "agent_failed", "own/letters/v1"],
  ])("a response %i is a failure with a code, without the key", async (status, body, code, said) => {
    server.fail({ status, body });
    const error = (await open()
      .embed(["a"])
      .catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(said);
    expect(JSON.stringify([error.message, error])).not.toContain(KEY);
  });

  test("a redirect is not followed", async () => {
    server.fail({ status: 302, body: {}, headers: { location: `${server.baseUrl}/elsewhere` } });
    await expect(open().embed(["a"])).rejects.toMatchObject({ code: "agent_failed" });
    expect(server.seen).toHaveLength(1);
  });

  test("missing configuration is reported on use", async () => {
    await expect(open({}, {}).embed(["a"])).rejects.toMatchObject({ code: "provider_auth_missing", details: { variable: "OWN" } });
    await expect(open({ model: "other/letters" }).embed(["a"])).rejects.toMatchObject({ code: "agent_provider_not_configured" });
    const anthropic = open({ model: "anthropic/claude" }).embed(["a"]);
    await expect(anthropic).rejects.toMatchObject({ code: "config_invalid", details: { field: "runtime.embeddings.model" } });
  });
});

test.each([
  ["/runtime/embeddings/dimensions", { dimensions: 255 }],
  ["/runtime/embeddings/dimensions", { dimensions: 1537 }],
  ["/runtime/embeddings/max_tokens", { max_tokens: 511 }],
  ["/runtime/embeddings/model", { model: "letters" }],
  ["/runtime/embeddings/duplicate", { weak: 0.9, duplicate: 0.5 }],
])("[FAC-182] %s outside the limits is refused", (field, change) => {
  expect(() => parsed({ ...LETTERS, ...change })).toThrow(
    expect.objectContaining({ code: "config_invalid", details: expect.objectContaining({ field }) }),
  );
});
