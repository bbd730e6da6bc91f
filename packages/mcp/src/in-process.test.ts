import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { PassThrough } from "node:stream";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { tool } from "@slipway/kernel/tools/tool";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { instructionsFor } from "./instructions.ts";
import { runHttp, runStdio } from "./run.ts";
import { overStdio } from "./stdio.ts";
import { openBench, scratchPlace, toolsFolder, type Bench } from "./testing/bench.ts";
import { ACTOR } from "./testing/client.ts";

/** The client's end of the pipes. */
function pipes() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let text = "";
  const heard = new Set<() => void>();
  stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    for (const look of heard) look();
  });
  const answer = (id: number | null) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const look = () => {
        const lines = text.split("\n").slice(0, -1);
        const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find((message) => message["id"] === id);
        if (found !== undefined) resolve(found);
      };
      heard.add(look);
      look();
    });
  return { stdin, stdout, answer, say: (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`) };
}

const HELLO = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const call = (id: number, name: string, args: object) => ({ id, method: "tools/call", params: { name, arguments: { ...ACTOR, ...args } } });

async function serving(bench: Bench, identify = async () => ({ role: "orchestrator" as ActorRole, actorId: null, feature: null })) {
  const client = pipes();
  const stopping = new AbortController();
  const credential = { role: "orchestrator" as const, actorId: null, feature: null };
  const ended = overStdio(bench.parts, { ...client, credential, identify, signal: stopping.signal });
  client.say(HELLO);
  await client.answer(1);
  return { ...client, ended, stop: () => stopping.abort() };
}

describe("over stdio", () => {
  test("lines that are not strict JSON are refused, others are passed on, and blank ones are ignored", async () => {
    const client = await serving(await openBench(sampleTools()));
    client.stdin.write('\n{"jsonrpc":"2.0","id":2,"id":3,"method":"ping"}\nnonsense\n{"jsonrpc":"2.0","id":4,');
    client.stdin.write('"method":"ping"}\n');
    expect(await client.answer(3)).toMatchObject({
      error: { code: -32600, data: { ok: false, error: { code: "schema_validation_failed" } } },
    });
    expect(await client.answer(null)).toMatchObject({ error: { data: { ok: false } } });
    expect(await client.answer(4)).toMatchObject({ result: {} });
    client.stdin.end();
    await client.ended;
  });

  test("a credential that expires during the connection is refused at the next call", async () => {
    let good = true;
    const client = await serving(await openBench(sampleTools()), async () => {
      if (!good) throw new SlipwayError("unauthenticated", "The token has expired.");
      return { role: "orchestrator", actorId: null, feature: null };
    });
    client.say(call(2, "plan.get", { feature_id: "a" }));
    expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { ok: true } } });
    good = false;
    client.say(call(3, "plan.get", { feature_id: "a" }));
    expect(await client.answer(3)).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "unauthenticated" } } } });
    client.stop();
    await client.ended;
  });

  test("a bug goes to the log of the server, and the client gets only its reference", async () => {
    const broken = tool({
      name: "plan.get",
      kind: "read",
      description: "A sample tool that is broken.",
      input: z.strictObject({}),
      output: z.strictObject({}),
      call: () => Promise.reject(new TypeError("secret internals")),
    });
    const bench = await openBench([broken]);
    const client = await serving(bench);
    client.say(call(2, "plan.get", {}));
    const { result } = (await client.answer(2)) as { result: { structuredContent: { error: { details: { reference: string } } } } };
    const { reference } = result.structuredContent.error.details;
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(bench.reported).toEqual([expect.stringContaining(`${reference}: TypeError: secret internals`)]);
    client.stdout.destroy(new Error("the client is gone"));
    await client.ended;
  });

  test("a failure outside a tool is the protocol's internal error", async () => {
    const bench = await openBench(sampleTools());
    const client = await serving(bench, () => Promise.reject(new Error("secret internals")));
    client.say(call(2, "plan.get", { feature_id: "a" }));
    expect(await client.answer(2)).toMatchObject({ error: { code: -32603 } });
    client.stop();
    await client.ended;
  });

  test("[FEA-022] a revision that is not pinned is answered with one that is", async () => {
    const bench = await openBench(sampleTools());
    const client = pipes();
    const credential = { role: "orchestrator", actorId: null, feature: null } as const;
    const ended = overStdio(bench.parts, {
      ...client,
      credential,
      identify: async () => credential,
      signal: new AbortController().signal,
    });
    client.say({ ...HELLO, params: { ...HELLO.params, protocolVersion: "2024-11-05" } });
    expect(await client.answer(1)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    client.stdin.end();
    await ended;
  });

  test("a line that is too long ends the connection", async () => {
    const bench = await openBench(sampleTools());
    const client = await serving(bench);
    client.stdin.write("x".repeat(10 * 1024 * 1024 + 1));
    await client.ended;
    expect(bench.reported.join("\n")).toContain("longer than");
  });
});

describe("started by a person", () => {
  const definitions = sampleTools();
  function around(place = scratchPlace(), env: Record<string, string> = {}) {
    const table = new Map(definitions.map((definition) => [definition.name, definition]));
    const folder = toolsFolder(definitions);
    return {
      cwd: place.root,
      env: { ...place.env, ...env },
      askTrust: trustAnything,
      version: "0.0.0",
      signal: AbortSignal.abort(),
      report: () => undefined,
      table,
      folder,
    };
  }
  const chosen = { role: null, feature: null, run: null };

  test("without a token the role is the chosen one", async () => {
    const client = pipes();
    const ended = runStdio({ ...around(), signal: new AbortController().signal }, client, { ...chosen, role: "planner" });
    client.say(HELLO);
    expect(await client.answer(1)).toMatchObject({ result: { instructions: expect.stringContaining('actor_type "planner"') } });
    client.stdin.end();
    await ended;
  });

  test.each([
    ["role", { role: "system" }],
    ["feature", { feature: "other" }],
  ] as const)("a token and another %s contradict each other", async (_name, wish) => {
    const bench = await openBench(definitions);
    const SLIPWAY_MCP_TOKEN = bench.token({ role: "builder", feature: "search" });
    const start = (more: object) => runStdio(around(bench.place, { SLIPWAY_MCP_TOKEN }), pipes(), { ...chosen, ...more });
    await expect(start(wish)).rejects.toMatchObject({ code: "invalid_cli_args" });
    await expect(start({ role: "builder", feature: "search" })).resolves.toBeUndefined();
  });

  test.each([
    ["that has expired", { lifetimeMs: 0 }],
    ["of another run", { run: "2026-01-01_elsewhere" }],
  ])("[FEA-179] with a token %s nothing is served", async (_name, wish) => {
    const bench = await openBench(definitions);
    const client = pipes();
    const start = runStdio(around(bench.place, { SLIPWAY_MCP_TOKEN: bench.token(wish) }), client, chosen);
    await expect(start).rejects.toMatchObject({ code: "unauthenticated" });
    expect(client.stdout.readableLength).toBe(0);
  });

  test("over HTTP until it is stopped", async () => {
    const stopping = new AbortController();
    const urls: string[] = [];
    await runHttp(
      { ...around(), signal: stopping.signal },
      { port: 0, run: null, onListening: (url) => (urls.push(url), setImmediate(() => stopping.abort())) },
    );
    expect(urls).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)]);
  });
});

test("the instructions name the role, the actor and the feature", () => {
  expect(instructionsFor({ role: "qa", actorId: "q1", feature: "search" })).toContain('actor_type "qa" and actor_id "q1"');
  expect(instructionsFor({ role: "qa", actorId: "q1", feature: "search" })).toContain('the feature "search" only');
});
