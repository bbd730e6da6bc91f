import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { untilBegun } from "../host/sandbox/testing/until-begun.ts";
import { send, type SendParts } from "./send.ts";
import { deadEndpoint, openReceiver, type Receiver } from "./testing/receiver.ts";

const open: Receiver[] = [];
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close();
});
const receiving = async (...given: Parameters<typeof openReceiver>) => {
  const receiver = await openReceiver(...given);
  open.push(receiver);
  return receiver;
};

const parts = (changes: Partial<SendParts> = {}): SendParts => ({ allowLoopback: true, sleep: async () => undefined, ...changes });
const to = (endpoint: string) => ({ id: "m1", endpoint, body: '{"a":1}' });

test("a message is a POST of JSON with an id", async () => {
  const receiver = await receiving();
  expect(await send(parts(), to(receiver.url))).toEqual({ ok: true, attempts: 1 });
  expect(receiver.received).toMatchObject([
    { method: "POST", path: "/hook?key=secret", body: '{"a":1}', headers: { "content-type": "application/json", "idempotency-key": "m1" } },
  ]);
});

describe("receivers that fail", () => {
  test("a dead one is tried three times", async () => {
    const result = await send(parts(), to(await deadEndpoint()));
    expect(result).toEqual({ ok: false, attempts: 3, reason: "the connection failed (ECONNREFUSED)" });
  });

  test("a slow one is given up after the time limit and not tried again, because the message may have arrived", async () => {
    const wait = async (timeoutMs: number) => {
      const { url, received } = await receiving(() => undefined);
      return { result: await send(parts({ timeoutMs }), to(url)), received, seconds: timeoutMs / 1000 };
    };
    const { result, received, seconds } = await untilBegun(wait, (waited) => waited.received.length > 0);
    expect(result).toEqual({ ok: false, attempts: 1, reason: `no answer within ${seconds} s` });
    expect(received).toHaveLength(1);
  });

  test.each([301, 302, 307, 308])("a redirect (%i) is not followed", async (status) => {
    const target = await receiving();
    const receiver = await receiving((response) => void response.writeHead(status, { location: target.url }).end());
    expect(await send(parts(), to(receiver.url))).toMatchObject({
      ok: false,
      attempts: 1,
      reason: expect.stringContaining(`redirect (${status})`),
    });
    expect(target.received).toEqual([]);
  });

  test.each([400, 404, 500])("a status of %i is a failure and not tried again", async (status) => {
    const receiver = await receiving((response) => void response.writeHead(status).end());
    expect(await send(parts(), to(receiver.url))).toEqual({ ok: false, attempts: 1, reason: `it answered with status ${status}` });
    expect(receiver.received).toHaveLength(1);
  });

  test.each([429, 503])("a status of %i says that nothing was taken: it is tried again", async (status) => {
    const receiver = await receiving((response, number) => void response.writeHead(number === 1 ? status : 204).end());
    expect(await send(parts(), to(receiver.url))).toEqual({ ok: true, attempts: 2 });
  });

  test("a connection that breaks after the message is not tried again", async () => {
    const receiver = await receiving((response) => void response.destroy());
    expect(await send(parts(), to(receiver.url))).toEqual({ ok: false, attempts: 1, reason: "the connection failed (ECONNRESET)" });
    expect(receiver.received).toHaveLength(1);
  });

  test("a server without TLS gets nothing of a message to https", async () => {
    const receiver = await receiving();
    const result = await send(parts(), to(receiver.url.replace("http:", "https:")));
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      reason: expect.stringMatching(/^the connection failed \((?:EPROTO|ERR_SSL_\w+)\)$/),
    });
    expect(receiver.received).toEqual([]);
  });

  test("an endless answer is not read", async () => {
    const receiver = await receiving((response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      response.writeHead(200);
      more();
    });
    expect(await send(parts(), to(receiver.url))).toEqual({ ok: true, attempts: 1 });
  });

  test("huge headers, and bytes that are no HTTP, are failures", async () => {
    const receiver = await receiving((response) => void response.writeHead(200, { huge: "x".repeat(40_000) }).end());
    expect(await send(parts(), to(receiver.url))).toMatchObject({
      ok: false,
      attempts: 1,
      reason: expect.stringContaining("HPE_HEADER_OVERFLOW"),
    });
    const server = createServer((socket) => {
      socket.on("error", () => undefined).resume();
      socket.end("\0\u001b[31m not http");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await send(parts(), to(`http://127.0.0.1:${port}`))).toMatchObject({ ok: false, attempts: 1 });
    await new Promise((resolve) => server.close(resolve));
  });

  test("a name server that never answers is given up after the time limit", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const result = await send(parts({ resolve, timeoutMs: 200 }), to("https://hooks.example.com"));
    expect(result).toEqual({ ok: false, attempts: 1, reason: "no answer within 0.2 s" });
  });

  test("a name that cannot be resolved is tried again", async () => {
    const missing = Object.assign(new Error("getaddrinfo ENOTFOUND hooks.example.com"), { code: "ENOTFOUND" });
    const result = await send(parts({ resolve: () => Promise.reject(missing) }), to("https://hooks.example.com/secret"));
    expect(result).toEqual({ ok: false, attempts: 3, reason: "the connection failed (ENOTFOUND)" });
    expect(await send(parts({ resolve: async () => [] }), to("https://hooks.example.com"))).toMatchObject({
      attempts: 3,
      reason: "its host has no address",
    });
    expect(await send(parts({ resolve: () => Promise.reject(new Error("secret")) }), to("https://hooks.example.com"))).toMatchObject({
      reason: "the connection failed (Error)",
    });
  });
});

describe("addresses that must not be reached", () => {
  const resolving = (...addresses: string[]) =>
    parts({ resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })) });

  test.each([
    ["a private address", ["10.0.0.5"]],
    ["a metadata service", ["169.254.169.254"]],
    ["a public and a private address", ["93.184.216.34", "192.168.0.1"]],
    ["an IPv6 form of a private address", ["::ffff:10.0.0.5"]],
  ])("a name that resolves to %s is refused", async (_case, addresses) => {
    expect(await send(resolving(...addresses), to("https://hooks.example.com"))).toEqual({
      ok: false,
      attempts: 1,
      reason: "its host has an address in a private network",
    });
  });

  test("a name that resolves to this machine is refused unless loopback is allowed", async () => {
    const { port, received } = await receiving();
    const given = { ...resolving("127.0.0.1"), allowLoopback: false };
    expect(await send(given, to(`https://hooks.example.com:${port}`))).toMatchObject({
      ok: false,
      reason: expect.stringContaining("private network"),
    });
    expect(received).toEqual([]);
  });

  test.each(["https://10.0.0.5/", "https://[fe80::1]/", "https://2130706433/", "https://0x7f.1/", "https://[::ffff:7f00:1]/"])(
    "the literal address %s is refused",
    async (endpoint) => {
      expect(await send(parts({ allowLoopback: false }), to(endpoint))).toMatchObject({ ok: false, attempts: 1 });
    },
  );

  test.each([
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "https://user:pass@hooks.example.com/",
    "no url",
  ])("%s is refused before anything is resolved", async (endpoint) => {
    const resolve = () => Promise.reject(new Error("must not be called"));
    expect(await send(parts({ resolve }), to(endpoint))).toMatchObject({ ok: false, reason: expect.stringMatching(/^the endpoint /) });
  });

  test("http is refused where a name for this machine resolves to another one", async () => {
    expect(await send(resolving("93.184.216.34"), to("http://hooks.localhost/"))).toMatchObject({
      ok: false,
      reason: "the endpoint must begin with https://",
    });
  });

  test("the connection goes to the address that was checked, not to what the name resolves to later", async () => {
    const receiver = await receiving();
    let asked = 0;
    const resolve = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
    expect(await send(parts({ resolve }), to(`http://hooks.localhost:${receiver.port}/`))).toEqual({ ok: true, attempts: 1 });
    expect([asked, receiver.received.length]).toEqual([1, 1]);
  });

  test("no reason contains the path, the query or the password of an endpoint", async () => {
    const endpoints = [await deadEndpoint(), "https://user:secret@x.example.com/secret", "https://10.0.0.1/secret", "secret"];
    for (const endpoint of endpoints) expect(JSON.stringify(await send(parts(), to(endpoint)))).not.toContain("secret");
  });
});

test("sending stops when Slipway ends", async () => {
  const stop = new AbortController();
  const receiver = await receiving(() => stop.abort());
  expect(await send(parts(), to(receiver.url), stop.signal)).toEqual({
    ok: false,
    attempts: 1,
    reason: "Slipway ended before it was delivered",
  });
});
