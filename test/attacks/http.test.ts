import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { request as httpRequest } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PROGRAM } from "slipway/testing/program";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slipway } from "./cli.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard, type Yard } from "./yard.ts";

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly session: string;
}

let yard: Yard;
let url: URL;
let token: string;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  yard = await makeYard();
  const child = spawn(process.execPath, [...PROGRAM, "mcp", "--http", "--port", "0", "--json"], {
    cwd: yard.root,
    env: { ...yard.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  stop = () => {
    child.kill("SIGTERM");
    return closed;
  };
  const said = await new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  url = new URL((JSON.parse(said) as { url: string }).url);
  const issued = await slipway(yard, ["mcp", "token", "--role", "orchestrator", "--json"]);
  token = (JSON.parse(issued.stdout) as { token: string }).token;
});
afterAll(async () => {
  await stop();
  yard.remove();
});

const LIST = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** A request with any headers, also those that browsers and fetch do not send. */
function post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: text, session: String(response.headers["mcp-session-id"]) }),
        );
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

test("a valid request is served", async () => {
  expect(await post(LIST)).toMatchObject({ status: 200 });
});

describe("attack 49: a page in a browser cannot reach the server under its own name", () => {
  test.each([
    ["another host", { host: "evil.example" }],
    ["a host with the right prefix", { host: "localhost.evil.example" }],
    ["a host with a port", { host: "evil.example:7420" }],
    ["another origin", { origin: "https://evil.example" }],
    ["an origin with the right prefix", { origin: "http://localhost.evil.example" }],
    ["the origin of a file or a frame", { origin: "null" }],
  ])("attack 49: %s is 403, even with a valid token", async (_what, headers) => {
    await unharmed(yard, [], async () => expect((await post(LIST, headers)).status).toBe(403));
  });

  test.each([
    ["no token", ""],
    ["an unknown token", "Bearer slp_e30.e30"],
    ["an approval token", "Bearer e30.e30"],
  ])("attack 49: %s is 401", async (_what, authorization) => {
    await unharmed(yard, [], async () => expect((await post(LIST, { authorization })).status).toBe(401));
  });

  test("attack 49: it listens on the loopback address only", () => {
    expect(url.hostname).toBe("127.0.0.1");
  });
});

describe("attack 50: oversized requests", () => {
  test("attack 50: a body that is too large is 413 before it is read, and the server continues", async () => {
    const status = await unharmed(yard, [], () => announce(5 * 1024 * 1024));
    expect(status).toBe(413);
    expect((await post(LIST)).status).toBe(200);
  });

  test("attack 50: so is one without a declared size", async () => {
    const status = await unharmed(yard, [], () => stream(6 * 1024 * 1024));
    expect(status).toBe(413);
    expect((await post(LIST)).status).toBe(200);
  });

  test.each([
    ["a batch", `[${LIST},${LIST}]`],
    ["an empty batch", "[]"],
    ["no JSON", "{"],
    ["a key given twice", '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ["excessive nesting", `${"[".repeat(5000)}${"]".repeat(5000)}`],
  ])("attack 50: %s is 400", async (_what, body) => {
    await unharmed(yard, [], async () => expect((await post(body)).status).toBe(400));
  });
});

/** Announces its size, and waits for the response. */
function announce(bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-length": String(bytes) };
    const request = httpRequest(url, { method: "POST", headers }, ({ statusCode = 0 }) => {
      resolve(statusCode);
      request.destroy();
    });
    request.on("error", reject);
    request.flushHeaders();
  });
}

/** Starts sending, and stops at the response. */
function stream(bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "transfer-encoding": "chunked" };
    const request = httpRequest(url, { method: "POST", headers }, ({ statusCode = 0 }) => {
      resolve(statusCode);
      request.destroy();
    });
    request.on("error", reject);
    for (let sent = 0; sent < bytes; sent += 65_536) request.write("x".repeat(65_536));
  });
}

test("B26: seventy sessions of another token end none of the orchestrator's", { timeout: 180_000 }, async () => {
  const { session } = await post(LIST);
  const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const asked = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect((await post(asked, headers)).status).toBe(200);
  const issued = await slipway(yard, ["mcp", "token", "--role", "planner", "--feature", "letters", "--json"]);
  const authorization = `Bearer ${(JSON.parse(issued.stdout) as { token: string }).token}`;
  const opened = new Set<string>();
  for (let n = 0; n < 70; n++) opened.add((await post(LIST, { authorization })).session);
  expect(opened.size).toBe(70);
  expect(await post(asked, headers)).toMatchObject({ status: 200, body: expect.stringContaining("gates.run") });
});

describe.skipIf(!existsSync("/usr/bin/prlimit"))("connections that send no complete request", () => {
  test("B27: half-open connections take no descriptors that a gate needs, and end by themselves", { timeout: 180_000 }, async () => {
    const own = await makeYard();
    const child = spawn("/usr/bin/prlimit", ["--nofile=512:512", process.execPath, ...PROGRAM, "mcp", "--http", "--port", "0", "--json"], {
      cwd: own.root,
      env: { ...own.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const sockets: Socket[] = [];
    try {
      const said = await new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())));
      const at = new URL((JSON.parse(said) as { url: string }).url);
      for (let n = 0; n < 1500; n++) {
        const socket = connect(Number(at.port), at.hostname, () => socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"));
        sockets.push(socket.on("error", () => undefined).resume());
      }
      await expect
        .poll(() => sockets.filter(({ destroyed, connecting }) => !destroyed && !connecting).length, { timeout: 30_000 })
        .toBeLessThan(200);
      const issued = await slipway(own, ["mcp", "token", "--role", "orchestrator", "--json"]);
      const authorization = `Bearer ${(JSON.parse(issued.stdout) as { token: string }).token}`;
      const client = new Client({ name: "attack", version: "1.0.0" });
      await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers: { authorization } } }));
      const call = async (name: string, input: Record<string, unknown>) =>
        (await client.callTool({ name, arguments: { actor_type: "orchestrator", actor_id: "orchestrator-kim", ...input } }))
          .structuredContent;
      own.write(".slipway/features/letters/spec.md", "# letters\n\nThe first letter file says two.\n");
      expect(await call("feature.init", { feature_id: "letters" })).toMatchObject({ ok: true });
      expect(await call("gates.run", { feature_id: "letters", mode: "fast" })).toMatchObject({ ok: true });
      await client.close();
      // The time limit of a request's headers ends the rest.
      await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length, { timeout: 40_000 }).toBe(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      child.kill("SIGTERM");
      await closed;
      own.remove();
    }
  });
});
