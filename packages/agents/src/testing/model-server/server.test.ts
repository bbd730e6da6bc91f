import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { scratch } from "../samples.ts";
import { inOrder, lastResults, promptOf, type Script } from "./script.ts";
import { startModelServer, type ModelServer } from "./server.ts";

let server: ModelServer;
afterEach(() => server.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { method: "POST", body: body instanceof Uint8Array ? body : JSON.stringify(body), headers });

const models = () => ({
  anthropic: createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "k" })("claude-sonnet-4-5"),
  responses: createOpenAI({ baseURL: server.baseUrls.responses, apiKey: "k" })("gpt-5"),
  chat: createOpenAICompatible({ name: "local", baseURL: server.baseUrls.chat, includeUsage: true })("qwen3"),
  gemini: createGoogle({ baseURL: server.baseUrls.gemini, apiKey: "k" })("gemini-3-pro"),
});

const SCRIPT: Script = (request) =>
  request.turn === 0
    ? {
        text: "Two at once.",
        toolCalls: [
          { name: "look", input: { at: "left" } },
          { name: "look", input: { at: "right" } },
        ],
        usage: { cached: 30 },
      }
    : { text: `${promptOf(request)} ${lastResults(request).join(" and ")}` };

describe.each(["anthropic", "responses", "chat", "gemini"] as const)("the SDK's client for the %s wire", (wire) => {
  const tools = { look: tool({ inputSchema: z.object({ at: z.string() }), execute: ({ at }) => `saw ${at}` }) };
  const options = () => ({ model: models()[wire], instructions: "See.", prompt: "Look!", tools, stopWhen: isStepCount(3), maxRetries: 0 });

  test("reads whole answers", async () => {
    server = await startModelServer(SCRIPT);
    const result = await generateText(options());
    expect(result.text).toBe("Look! saw left and saw right");
    expect(result.usage).toMatchObject({ inputTokens: 200, outputTokens: 40, inputTokenDetails: { cacheReadTokens: 30 } });
  });

  test("reads streams", async () => {
    server = await startModelServer(SCRIPT);
    const result = streamText(options());
    expect(await result.text).toBe("Look! saw left and saw right");
    expect(await result.usage).toMatchObject({ inputTokens: 200, outputTokens: 40, inputTokenDetails: { cacheReadTokens: 30 } });
    expect(server.requests.map(({ turn, stream, system }) => [turn, stream, system])).toEqual([
      [0, true, "See."],
      [1, true, "See."],
    ]);
  });
});

test("Codex's own kinds of tools: free text, and groups", async () => {
  server = await startModelServer(() => ({
    toolCalls: [
      { name: "apply_patch", input: "*** Begin Patch" },
      { name: "find", input: { q: 1 } },
    ],
  }));
  const tools = [
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "mcp__docs", tools: [{ type: "function", name: "find", parameters: {} }] },
    { type: "web_search" },
  ];
  const input = [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Go" }] },
    { type: "custom_tool_call", call_id: "1", name: "apply_patch", input: "x" },
    { type: "custom_tool_call_output", call_id: "1", output: "done" },
    { type: "reasoning", summary: [] },
  ];
  const answer = (await (await post("/v1/responses", { model: "gpt-5", input, tools })).json()) as { output: unknown[] };
  expect(answer.output).toMatchObject([
    { type: "custom_tool_call", input: "*** Begin Patch" },
    { type: "function_call", namespace: "mcp__docs", arguments: '{"q":1}' },
  ]);
  expect(server.requests[0]).toMatchObject({ turn: 1, messages: [{ text: "Go" }, {}, { toolResults: [{ output: "done" }] }] });
});

test("a structured answer goes through the client's own answer tool if it has one", async () => {
  server = await startModelServer(() => ({ output: { ok: true } }));
  const tools = [{ name: "StructuredOutput", input_schema: {} }];
  const answer = await (await post("/v1/messages", { model: "m", messages: [], tools })).json();
  expect(answer).toMatchObject({ stop_reason: "tool_use", content: [{ name: "StructuredOutput", input: { ok: true } }] });
});

test("side requests of clients are answered, and do not reach the script", async () => {
  server = await startModelServer(() => ({ text: "script" }));
  const get = async (path: string) => (await fetch(server.url + path)).json();
  expect(await get("/v1/models")).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: "scripted" })]) });
  expect(await get("/v1/models?client_version=0.166.0")).toEqual({ models: [] });
  expect(await get("/v1/models/x")).toMatchObject({ id: "x" });
  expect(await get("/v1beta/models")).toMatchObject({ models: expect.any(Array) });
  expect(await get("/v1beta/models/gemini-3-pro")).toMatchObject({ name: "models/gemini-3-pro" });
  expect(await get("/api/tags")).toMatchObject({ models: expect.any(Array) });
  expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
  expect((await post("/api/event_logging/batch", {})).status).toBe(200);
  expect(await (await post("/v1/messages/count_tokens", { messages: [] })).json()).toEqual({ input_tokens: 4 });
  expect(await (await post("/v1beta/models/g:countTokens", {})).json()).toEqual({ totalTokens: 1 });
  const title = { system: "You are a title generator.", messages: [{ role: "user", content: "Hello" }] };
  expect(await (await post("/v1/messages", title)).json()).toMatchObject({ content: [{ text: "A scripted conversation" }] });
  const quota = { max_tokens: 1, messages: [{ role: "user", content: "quota" }] };
  expect(await (await post("/v1/messages", quota)).json()).toMatchObject({ content: [{ text: "OK" }] });
  const format = { type: "json_schema", schema: { properties: { title: {} } } };
  expect(await (await post("/v1/messages", { output_config: { format }, messages: [] })).json()).toMatchObject({
    content: [{ text: expect.stringContaining('"title"') }],
  });
  expect(server.requests).toEqual([]);
  expect(server.sideCalls).toHaveLength(3);
});

test("compressed requests are read; an error of the script is sent to the client", async () => {
  const script = inOrder({ text: "one" }, { text: "two" });
  server = await startModelServer((request) => {
    if (promptOf(request) === "fail") throw new Error("no line for this");
    return script(request);
  });
  const body = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: "hi" }] }));
  await post("/v1/chat/completions", gzipSync(body), { "content-encoding": "gzip" });
  await post("/v1/chat/completions", zstdCompressSync(body), { "content-encoding": "zstd" });
  expect(server.requests.map(promptOf)).toEqual(["hi", "hi"]);
  const failed = await post("/v1/chat/completions", { messages: [{ role: "user", content: "fail" }] });
  expect([failed.status, await failed.text()]).toEqual([500, expect.stringContaining("no line for this")]);
});

test("runs as a separate process", async () => {
  server = await startModelServer(() => ({ text: "" }));
  const script = join(scratch("script"), "script.mjs");
  writeFileSync(script, `export default [{ text: "from a file" }];`);
  const child = spawn(process.execPath, ["--conditions=slipway-source", join(import.meta.dirname, "main.ts"), "--script", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const answer = await (await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" })).json();
  expect(answer).toMatchObject({ content: [{ text: "from a file" }] });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
