import { once } from "node:events";
import { connect, createServer, type AddressInfo, type LookupFunction, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GATEWAY_SOCKET } from "./forward-script.ts";
import { openGateway, type Gateway } from "./gateway.ts";
import { parseHosts } from "./hosts.ts";
import { readFirstBytes } from "./tls-hello.ts";

/** The first message of Node's own TLS client. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  const sent = Promise.withResolvers<Buffer>();
  const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer, _encoding, done) => (sent.resolve(chunk), done()) });
  const client = connectTls({ socket: wire, ...(servername === undefined ? {} : { servername }) });
  client.on("error", () => undefined);
  const hello = await sent.promise;
  client.destroy();
  return hello;
}

/** The same message in records of one byte each. */
function fragmented(hello: Buffer): Buffer {
  return Buffer.concat([...hello.subarray(5)].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte])));
}

/** With one more extension. */
function extended(hello: Buffer, type: number, value: Buffer): Buffer {
  const more = Buffer.alloc(4);
  more.writeUInt16BE(type, 0);
  more.writeUInt16BE(value.length, 2);
  const body = Buffer.concat([hello.subarray(9), more, value]);
  let at = 34;
  at += 1 + body.readUInt8(at);
  at += 2 + body.readUInt16BE(at);
  at += 1 + body.readUInt8(at);
  body.writeUInt16BE(body.length - at - 2, at);
  const head = Buffer.from([22, 3, 1, 0, 0, 1, 0, 0, 0]);
  head.writeUInt16BE(body.length + 4, 3);
  head.writeUIntBE(body.length, 6, 3);
  return Buffer.concat([head, body]);
}

const nameExtension = (name: string) => {
  const bytes = Buffer.from(name);
  const value = Buffer.concat([Buffer.from([0, bytes.length + 3, 0, 0, bytes.length]), bytes]);
  return value;
};

describe("a TLS hello", () => {
  it("is read whole, in many records, and in pieces", async () => {
    const hello = await helloFor("Model.Example.");
    const read = { kind: "hello", name: "model.example", hidden: false };
    expect(readFirstBytes(hello)).toEqual(read);
    expect(readFirstBytes(fragmented(hello))).toEqual(read);
    for (let length = 0; length < hello.length; length += 7) expect(readFirstBytes(hello.subarray(0, length)).kind).toBe("incomplete");
  });

  it("without a name, with a hidden one, and with two", async () => {
    const hello = await helloFor(undefined);
    expect(readFirstBytes(hello)).toEqual({ kind: "hello", name: null, hidden: false });
    expect(readFirstBytes(extended(hello, 0xfe0d, Buffer.alloc(40)))).toEqual({ kind: "hello", name: null, hidden: true });
    const named = extended(hello, 0, nameExtension("a.example"));
    expect(readFirstBytes(named)).toEqual({ kind: "hello", name: "a.example", hidden: false });
    expect(readFirstBytes(extended(named, 0, nameExtension("b.example")))).toEqual({ kind: "broken" });
  });

  it("that is none, or lies about its lengths", async () => {
    const hello = await helloFor("model.example");
    expect(readFirstBytes(Buffer.from("GET / HTTP/1.1\r\n")).kind).toBe("other");
    expect(readFirstBytes(Buffer.from([22, 3, 1, 0, 0]))).toEqual({ kind: "broken" });
    expect(readFirstBytes(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]))).toEqual({ kind: "broken" });
    for (let at = 9; at < Math.min(hello.length, 200); at++) {
      const changed = Buffer.from(hello);
      changed.writeUInt8(255, at);
      expect(["hello", "broken"]).toContain(readFirstBytes(changed).kind);
    }
  });
});

describe("B24: the gateway, asked for one host by a client that means another", () => {
  let server: Server;
  let gateway: Gateway;
  let target: string;
  let arrived: Buffer;
  const here: LookupFunction = (_host, options, callback) =>
    options.all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

  beforeEach(async () => {
    arrived = Buffer.alloc(0);
    server = createServer((socket) =>
      socket
        .on("error", () => undefined)
        .on("data", (chunk) => {
          arrived = Buffer.concat([arrived, chunk]);
          socket.write("answer");
        }),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    target = `model.example:${(server.address() as AddressInfo).port}`;
    gateway = await openGateway(parseHosts([target]), here);
  });
  afterEach(async () => {
    await gateway.close();
    server.close();
  });

  async function tunnel(): Promise<Socket> {
    const socket = connect(join(gateway.folder, GATEWAY_SOCKET));
    socket.on("error", () => undefined);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const [line] = (await once(socket, "data")) as [Buffer];
    expect(line.toString()).toContain("200");
    return socket;
  }

  it.each([
    ["another name", () => helloFor("exfil.attacker.example"), /exfil\.attacker\.example/],
    ["another name in many records", async () => fragmented(await helloFor("exfil.attacker.example")), /exfil\.attacker\.example/],
    ["no name", () => helloFor(undefined), /names no server/],
    ["a hidden name", async () => extended(await helloFor("model.example"), 0xfe0d, Buffer.alloc(40)), /hides/],
    ["two names", async () => extended(await helloFor("model.example"), 0, nameExtension("exfil.example")), /cannot be read/],
  ])("closes a hello with %s, and records it", async (_what, hello, reason) => {
    const socket = await tunnel();
    const closed = once(socket, "close");
    for (const byte of await hello()) socket.write(Buffer.from([byte]));
    await closed;
    expect(arrived).toHaveLength(0);
    expect(gateway.traffic()).toEqual([
      { host: target, connections: 0, bytes_out: 0, bytes_in: 0, refused: [expect.stringMatching(reason)] },
    ]);
  });

  it("passes on a hello for the host, byte by byte, and counts both ways", async () => {
    const socket = await tunnel();
    const hello = fragmented(await helloFor("model.example"));
    const answered = once(socket, "data");
    for (const byte of hello) socket.write(Buffer.from([byte]));
    await answered;
    expect(arrived.equals(hello.subarray(0, arrived.length))).toBe(true);
    socket.destroy();
    await expect.poll(() => gateway.traffic()[0]?.bytes_in).toBeGreaterThanOrEqual(6);
    expect(gateway.traffic()).toMatchObject([{ host: target, connections: 1, bytes_out: hello.length, refused: [] }]);
  });

  it("closes what is neither TLS nor HTTP", async () => {
    const socket = await tunnel();
    const closed = once(socket, "close");
    socket.write("SSH-2.0-client\r\n\r\n");
    await closed;
    expect(arrived).toHaveLength(0);
  });
});
