import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FORWARD_SCRIPT, GATEWAY_SOCKET } from "./forward-script.ts";
import { openGateway, type Gateway } from "./gateway.ts";
import { forwardedPorts, isNamed, parseHost, parseHosts } from "./hosts.ts";

describe("hosts", () => {
  it.each([
    ["api.example.com:443", { host: "api.example.com", port: 443 }],
    ["API.example.com.:443", { host: "api.example.com", port: 443 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["127.0.0.1:1", { host: "127.0.0.1", port: 1 }],
  ])("reads %s", (named, host) => expect(parseHost(named)).toEqual(host));

  it.each(["", "host", "host:", "host:0", "host:65536", "http://host:80", "host:80/x", "a b:80", "::1:80", "user@host:80"])(
    "%j is no host and port",
    (named) => expect(parseHost(named)).toBeNull(),
  );

  it("names the wrong entry", () => expect(() => parseHosts(["a:1", "b"])).toThrow(/hosts\[1\] "b" is not a host and a port/));

  it("are compared by name and port, never by address", () => {
    const hosts = parseHosts(["localhost:80"]);
    expect(isNamed({ host: "localhost", port: 80 }, hosts)).toBe(true);
    expect(isNamed({ host: "localhost", port: 81 }, hosts)).toBe(false);
    expect(isNamed({ host: "127.0.0.1", port: 80 }, hosts)).toBe(false);
  });

  it("on the loopback keep their port inside, and the proxy takes another", () => {
    const ports = forwardedPorts(parseHosts(["127.0.0.1:3128", "[::1]:3129", "localhost:9", "far.example:443"]));
    expect(ports).toEqual([
      { host: "127.0.0.1", port: 3130, target: null },
      { host: "127.0.0.1", port: 3128, target: "127.0.0.1:3128" },
      { host: "::1", port: 3129, target: "[::1]:3129" },
      { host: "127.0.0.1", port: 9, target: "localhost:9" },
    ]);
  });

  it("the forward script is valid JavaScript", () => expect(() => new Function("require", FORWARD_SCRIPT)).not.toThrow());
});

/** Resolves every name to this machine; the gateway decides before that. */
const here: LookupFunction = (_host, options, callback) =>
  options.all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

describe("the gateway", () => {
  let server: Server;
  let port: number;
  let gateway: Gateway;
  const seen: string[] = [];

  beforeEach(async () => {
    seen.length = 0;
    server = createServer((request, response) => {
      seen.push(`${request.headers.host} ${request.url} ${request.headers["proxy-connection"] ?? ""}`.trim());
      if (request.url === "/break") return void request.socket.destroy();
      if (request.url === "/half") return void response.write("half", () => request.socket.destroy());
      response.end(`hello ${request.method}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    gateway = await openGateway(parseHosts([`model.example:${port}`, "model.example:1"]), here);
  });
  afterEach(async () => {
    await gateway.close();
    server.close();
    server.closeAllConnections();
  });

  const socketPath = () => join(gateway.folder, GATEWAY_SOCKET);
  async function through(target: string): Promise<{ line: string; socket: Socket }> {
    const socket = connect(socketPath());
    socket.on("error", () => undefined);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const line = await new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString().split("\r\n")[0] ?? "")));
    return { line, socket };
  }
  const ask = (url: string, method = "GET") =>
    new Promise<IncomingMessage>((resolve, reject) =>
      httpRequest({ socketPath: socketPath(), path: url, method, headers: { "proxy-connection": "keep-alive" } })
        .once("response", resolve)
        .once("error", reject)
        .end(),
    );

  it("opens a tunnel to a named host", async () => {
    const { line, socket } = await through(`MODEL.example:${port}`);
    expect(line).toContain("200");
    socket.write("GET /x HTTP/1.1\r\nHost: model.example\r\nConnection: close\r\n\r\n");
    expect(await text(socket)).toContain("hello GET");
    const [traffic] = gateway.traffic();
    expect(traffic).toMatchObject({ host: `model.example:${port}`, connections: 1, refused: [] });
    expect([(traffic?.bytes_out ?? 0) > 30, (traffic?.bytes_in ?? 0) > 30]).toEqual([true, true]);
  });

  it("a request inside a tunnel for another host is refused", async () => {
    const { socket } = await through(`model.example:${port}`);
    socket.write("GET /x HTTP/1.1\r\nHost: exfil.attacker.example\r\nConnection: close\r\n\r\n");
    expect(await text(socket)).toContain("403");
    expect(seen).toEqual([]);
    expect(gateway.traffic()[0]?.refused).toEqual([expect.stringContaining("exfil.attacker.example")]);
  });

  it("records what it refused", async () => {
    await through("other.example:443");
    const refused = [expect.stringMatching(/may reach/)];
    expect(gateway.traffic()).toEqual([{ host: "other.example:443", connections: 0, bytes_out: 0, bytes_in: 0, refused }]);
  });

  it.each([
    ["another name", () => `other.example:${port}`],
    ["another port", () => "model.example:443"],
    ["the address behind the name", () => `127.0.0.1:${port}`],
    ["an invalid host", () => "model.example"],
  ])("refuses %s", async (_what, target) => {
    const { line } = await through(target());
    expect(line).toContain("403");
    expect(seen).toEqual([]);
  });

  it("reports a named host that cannot be reached", async () => {
    expect((await through("model.example:1")).line).toContain("502");
    expect((await ask("http://model.example:1/")).statusCode).toBe(502);
  });

  it("forwards plain requests without the headers for the proxy", async () => {
    const answer = await ask(`http://model.example:${port}/path?q=1`, "POST");
    expect(await text(answer)).toBe("hello POST");
    expect(seen).toEqual([`model.example:${port} /path?q=1`]);
  });

  it.each(["http://other.example/", "https://model.example/", "/relative", "http://model.example/"])("refuses %s", async (url) => {
    expect((await ask(url)).statusCode).toBe(403);
    expect(seen).toEqual([]);
  });

  it("checks each request of a kept-alive connection", async () => {
    const socket = connect(socketPath());
    const answers = text(socket);
    socket.write(`GET http://model.example:${port}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.write(`GET http://other.example/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect((await answers).match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  });

  it("a host that closes the connection closes it for the client", async () => {
    expect((await ask(`http://model.example:${port}/break`)).statusCode).toBe(502);
    await expect(text(await ask(`http://model.example:${port}/half`))).rejects.toThrow(/aborted/);
  });

  it("closes connections that are not HTTP", async () => {
    const socket = connect(socketPath());
    socket.on("error", () => undefined);
    socket.write("\u0000\u0001 nonsense\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
  });

  it("ends every connection when it closes, and leaves nothing behind", async () => {
    const { socket } = await through(`model.example:${port}`);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await gateway.close();
    await closed;
    expect(existsSync(gateway.folder)).toBe(false);
  });
});
