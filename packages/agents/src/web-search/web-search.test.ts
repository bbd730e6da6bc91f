import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseAgents } from "@slipway/kernel/config/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWebSearch } from "./web-search.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let seen: Seen[];
let reply: { status: number; body: string; headers?: Record<string, string> };

beforeEach(async () => {
  seen = [];
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => void server.close());

const signal = new AbortController().signal;
const base_url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
const env = { TAVILY_API_KEY: "tavily-key", BRAVE_API_KEY: "brave-key", OWN: "own-key" };
const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
const pages = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://example.org/${index}`,
    title: `<b>Page</b>  ${index}`,
    [text]: "a\nsnippet",
  }));

function search(backend: "tavily" | "brave" | "searxng", key_env?: string) {
  const opened = openWebSearch({ backend, base_url: base_url(), ...(key_env === undefined ? {} : { key_env }) }, env);
  if (opened === null) throw new Error("it is off");
  return opened;
}

test("without configuration it is off", () => expect(openWebSearch(undefined, env)).toBeNull());

describe("each backend has its own requests, and all return the same results", () => {
  const expected = [
    { url: "https://example.org/0", title: "Page 0", snippet: "a snippet" },
    { url: "https://example.org/1", title: "Page 1", snippet: "a snippet" },
  ];

  test("tavily", async () => {
    reply = json({ results: pages(2, "content") });
    expect(await search("tavily")("two words", 5, signal)).toEqual(expected);
    expect(seen).toMatchObject([{ method: "POST", url: "/api/search", headers: { authorization: "Bearer tavily-key" } }]);
    expect(JSON.parse(seen[0]!.body)).toEqual({ query: "two words", max_results: 5 });
  });

  test("brave", async () => {
    reply = json({ web: { results: pages(2, "description") } });
    expect(await search("brave")("two words", 5, signal)).toEqual(expected);
    expect(seen).toMatchObject([
      { method: "GET", url: "/api/web/search?q=two+words&count=5", headers: { "x-subscription-token": "brave-key" } },
    ]);
    reply = json({ type: "search" });
    expect(await search("brave")("nothing", 5, signal)).toEqual([]);
  });

  test("searxng, with and without a key", async () => {
    reply = json({ results: pages(30, "content") });
    expect(await search("searxng")("two words", 2, signal)).toEqual(expected);
    await search("searxng", "OWN")("again", 2, signal);
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/api/search?q=two+words&format=json", undefined],
      ["/api/search?q=again&format=json", "Bearer own-key"],
    ]);
  });
});

test("there are at most ten results, all of them web pages", async () => {
  reply = json({ results: [{ url: "javascript:alert(1)", title: null, content: null }, ...pages(30, "content")] });
  const found = await search("tavily")("q", 50, signal);
  expect(found).toHaveLength(10);
  expect(found[0]?.url).toBe("https://example.org/0");
  expect(JSON.parse(seen[0]!.body)).toMatchObject({ max_results: 10 });
});

test("long texts are cut", async () => {
  reply = json({ results: [{ url: "https://example.org", title: "t".repeat(900), content: "c".repeat(9_000) }] });
  const [found] = await search("tavily")("q", 1, signal);
  expect([found?.title.length, found?.snippet.length]).toEqual([201, 601]);
});

describe("errors are reported without the key", () => {
  test.each([
    [{ status: 401, body: "" }, "provider_auth_missing", /answered 401/],
    [{ status: 429, body: "" }, "rate_limited", /answered 429/],
    [{ status: 500, body: "tavily-key" }, "provider_unavailable", /answered 500/],
    [{ status: 302, body: "", headers: { location: "http://127.0.0.1:9/" } }, "provider_unavailable", /cannot be reached/],
    [{ status: 200, body: "<html>" }, "provider_unavailable", /other than a list of results/],
    [{ status: 200, body: '{"results":"none"}' }, "provider_unavailable", /other than a list of results/],
    [{ status: 200, body: " ".repeat(5 * 1024 ** 2) }, "provider_unavailable", /cannot be reached/],
  ])("%#: %s", async (answer, code, message) => {
    reply = answer;
    const failure = search("tavily")("q", 1, signal);
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("tavily-key") });
  });

  test("no server, no key, a stop", async () => {
    const away = openWebSearch({ backend: "searxng", base_url: "http://127.0.0.1:9" }, {})!;
    await expect(away("q", 1, signal)).rejects.toMatchObject({ code: "provider_unavailable" });
    const keyless = openWebSearch({ backend: "brave" }, {})!;
    await expect(keyless("q", 1, signal)).rejects.toMatchObject({
      code: "provider_auth_missing",
      message: expect.stringContaining("BRAVE_API_KEY"),
    });
    reply = json({ results: [] });
    await expect(search("tavily")("q", 1, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  });
});

test("slipway/agents.yaml names the backend and the variable of the key; searxng needs its address", () => {
  const parse = (part: string) =>
    parseAgents("slipway/agents.yaml", `{ version: 1, roles: {}, runtime: { web_search: ${part} } }`).runtime.web_search;
  expect(parse("{ backend: brave, key_env: MY_KEY }")).toEqual({ backend: "brave", key_env: "MY_KEY" });
  expect(() => parse("{ backend: searxng }")).toThrow(/base_url/);
  expect(() => parse("{ backend: altavista }")).toThrow(/tavily/);
});
