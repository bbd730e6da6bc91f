import { request as httpRequest } from "node:http";
import type { FailureEnvelope } from "@slipway/kernel/tools/envelope";
import { failureSchema } from "@slipway/kernel/tools/envelope";
import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { describe, expect, test } from "vitest";
import type { HttpServing } from "./http.ts";
import { slowTool } from "./testing/slow-tool.ts";
import { openBench, type Bench } from "./testing/bench.ts";
import { serveOverHttp } from "./testing/client.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A raw request, as from a program that is not a regular client. */
function send(serving: HttpServing, { method = "POST", path = "/mcp", headers = {}, body = PING }: Raw) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(serving.url);
    const sent = httpRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function open(maxBodyBytes?: number): Promise<{ bench: Bench; serving: HttpServing; allowed: Record<string, string> }> {
  const bench = await openBench(sampleTools(), { transport: "streamable_http" });
  return { bench, serving: await serveOverHttp(bench, maxBodyBytes), allowed: bearer(bench.token()) };
}

function envelopeIn(body: string): FailureEnvelope {
  return failureSchema.parse(JSON.parse(body));
}

describe("access control", () => {
  test("[FEA-179] a request without a good token is answered 401 with the error envelope, before any handler", async () => {
    const { bench, serving } = await open();
    const good = bench.token();
    const [payload = "", signature = ""] = good.split(".");
    const forged = Buffer.from(Buffer.from(payload.slice(4), "base64url").toString().replace("orchestrator", "system")).toString(
      "base64url",
    );
    const headers: Record<string, string>[] = [
      {},
      { authorization: "Basic a2ltOnNlY3JldA==" },
      bearer("nonsense"),
      bearer(`slp_${forged}.${signature}`),
      bearer(`${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`),
      bearer(bench.token({ lifetimeMs: 0 })),
      bearer(bench.token({ run: "2026-01-01_elsewhere" })),
    ];
    for (const header of headers) {
      const { status, headers: answered, body } = await send(serving, { headers: header });
      expect(status).toBe(401);
      expect(answered["www-authenticate"]).toContain("Bearer");
      expect(envelopeIn(body).error.code).toBe("unauthenticated");
      expect(body).not.toContain(signature);
    }
    expect(bench.reported.join("\n")).not.toContain(payload);
  });

  test.each([
    ["a name that was bound to this machine", { host: "evil.example" }],
    ["a name that only looks like loopback", { host: "127.0.0.1.evil.example" }],
    ["a page of another site", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null" }],
  ])("%s is answered 403, even with a good token", async (_name, headers) => {
    const { serving, allowed } = await open();
    const { status, body } = await send(serving, { headers: { ...allowed, ...headers } });
    expect(status).toBe(403);
    expect(envelopeIn(body).ok).toBe(false);
  });

  test.each([{ host: "localhost" }, { host: "[::1]:80" }, { origin: "http://localhost:3000" }])(
    "%j is of this machine",
    async (headers) => {
      const { serving, allowed } = await open();
      expect((await send(serving, { headers: { ...allowed, ...headers } })).status).not.toBe(403);
    },
  );

  test("another path is not found, and the port is bound to loopback alone", async () => {
    const { serving, allowed } = await open();
    expect((await send(serving, { path: "/", headers: allowed })).status).toBe(404);
    expect(new URL(serving.url).hostname).toBe("127.0.0.1");
  });
});

describe("a body", () => {
  test("that is too large is answered 413, with or without a content-length", async () => {
    const { serving, allowed } = await open(1_000);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { filler: "x".repeat(2_000) } });
    const told = await send(serving, { headers: { ...allowed, "content-length": String(body.length) }, body });
    const untold = await send(serving, { headers: { ...allowed, "transfer-encoding": "chunked" }, body });
    for (const { status, body: answer } of [told, untold]) {
      expect(status).toBe(413);
      expect(envelopeIn(answer).error.message).toContain("1000 bytes");
    }
  });

  test.each([
    ["a batch", `[${PING},${PING}]`],
    ["a key given twice", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}'],
    [
      "a key that reaches a prototype",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan.get","arguments":{"__proto__":{}}}}',
    ],
    ["no JSON", "{"],
    ["nothing", ""],
  ])("with %s is answered 400 and does nothing", async (_name, body) => {
    const { serving, allowed } = await open();
    const answer = await send(serving, { headers: allowed, body });
    expect(answer.status).toBe(400);
    expect(envelopeIn(answer.body).error.code).toBe("schema_validation_failed");
  });
});

describe("a session", () => {
  const hello = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });

  test("belongs to its own client only, and ends when that client deletes it", async () => {
    const { bench, serving, allowed } = await open();
    const { headers } = await send(serving, { headers: allowed, body: hello });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    const ping = (who: Record<string, string>) => send(serving, { headers: { ...who, ...session } });
    expect((await ping(allowed)).status).toBe(200);
    expect((await ping(bearer(bench.token({ role: "system" })))).status).toBe(404);
    expect((await ping(bearer(bench.token()))).status).toBe(200);
    expect((await send(serving, { method: "DELETE", headers: { ...allowed, ...session }, body: "" })).status).toBe(200);
    expect((await ping(allowed)).status).toBe(404);
  });

  test("is closed for new ones if it was used least recently", async () => {
    const { serving, allowed } = await open();
    const ids: string[] = [];
    for (let i = 0; i < 66; i++) ids.push(String((await send(serving, { headers: allowed, body: hello })).headers["mcp-session-id"]));
    const status = async (id = "") => (await send(serving, { headers: { ...allowed, "mcp-session-id": id } })).status;
    expect(await status(ids[0])).toBe(404);
    expect(await status(ids[65])).toBe(200);
  });

  test("of one token is never closed for those of another, and not while its call runs", async () => {
    const slow = slowTool();
    const bench = await openBench([slow.definition], { transport: "streamable_http" });
    const serving = await serveOverHttp(bench);
    const [orchestrator, planner] = [bearer(bench.token()), bearer(bench.token({ role: "planner", actorId: "p", feature: "f" }))];
    const session = async (who: Record<string, string>) => ({
      ...who,
      "mcp-session-id": String((await send(serving, { headers: who, body: hello })).headers["mcp-session-id"]),
    });
    const [idle, busy] = [await session(orchestrator), await session(orchestrator)];
    const params = { name: "gates.run", arguments: { actor_type: "orchestrator", actor_id: "kim" } };
    const call = send(serving, { headers: busy, body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params }) });
    await slow.started;
    for (let n = 0; n < 70; n++) await session(planner);
    expect((await send(serving, { headers: idle })).status).toBe(200);
    for (let n = 0; n < 64; n++) await session(orchestrator);
    expect((await send(serving, { headers: idle })).status).toBe(404);
    expect((await send(serving, { headers: busy })).status).toBe(200);
    await serving.close();
    await slow.stopped;
    await call.catch(() => undefined);
  });
});

test("an internal failure is answered without its reason, which goes to the log of the server", async () => {
  const { bench } = await open();
  const { overHttp } = await import("./http.ts");
  const broken = await overHttp(bench.parts, () => Promise.reject(new Error("secret internals")), { port: 0 });
  const { status, body } = await send(broken, {});
  expect([status, envelopeIn(body).error.code]).toEqual([500, "internal_error"]);
  expect(body).not.toContain("secret");
  expect(bench.reported.join("\n")).toContain("secret internals");
  await broken.close();
});

test("a port in use is refused with a suggestion", async () => {
  const { bench, serving } = await open();
  const { overHttp } = await import("./http.ts");
  const again = overHttp(bench.parts, bench.authenticate, { port: Number(new URL(serving.url).port) });
  await expect(again).rejects.toMatchObject({ code: "io_error", details: { suggested_next_actions: [expect.stringContaining("--port")] } });
});
