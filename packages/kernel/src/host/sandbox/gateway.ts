import { mkdtemp } from "node:fs/promises";
import type { IncomingMessage, request as httpRequest, Server, ServerResponse } from "node:http";
import { lookup as systemLookup } from "node:dns";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTree } from "../files/remove-tree.ts";
import { NOT_NAMED, Traffic, type HostTraffic } from "./egress.ts";
import { GATEWAY_SOCKET } from "./forward-script.ts";
import { isNamed, isNear, parseHost, type HostPort } from "./hosts.ts";
import { enter, nameOf } from "./tunnel.ts";

/** The only way out of a sandbox without network: an HTTP proxy on a Unix socket that reaches only the named hosts. */
export interface Gateway {
  /** Contains only the socket. */
  readonly folder: string;
  /** What went through it, and what it refused. */
  traffic(): readonly HostTraffic[];
  close(): Promise<void>;
}

type Lookup = NonNullable<TcpNetConnectOpts["lookup"]>;

export async function openGateway(hosts: readonly HostPort[], lookup: Lookup = systemLookup): Promise<Gateway> {
  // Loaded on demand: few commands need a host, and node:http takes longer to load than bubblewrap to start.
  const { createServer, request: ask } = await import("node:http");
  // Short, because the path of a socket is limited to about a hundred bytes.
  const folder = await mkdtemp(join(tmpdir(), "slipway-gate-"));
  const sockets = new Set<Socket>();
  const traffic = new Traffic();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    return socket;
  };
  const asking = { hosts, lookup, ask, traffic };
  const server = createServer((request, response) => passOn(request, response, asking));
  /** Requests inside a tunnel without TLS. */
  const targets = new WeakMap<Socket, HostPort>();
  const inside = createServer((request, response) => passInside(request, response, targets.get(request.socket), asking));
  inside.on("clientError", (_error, socket) => socket.destroy());
  const plain = (client: Socket, target: HostPort) => {
    targets.set(client, target);
    inside.emit("connection", client);
    client.resume();
  };
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) =>
    tunnel(request, client, head, { hosts, lookup, keep, traffic, plain }),
  );
  server.on("clientError", (_error, socket) => socket.destroy());
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await removeTree(folder);
  };
  try {
    await listening(server, join(folder, GATEWAY_SOCKET));
  } catch (cause) {
    await close();
    throw new SlipwayError("io_error", `The gateway to the named hosts could not be opened in ${folder}.`, { file: folder }, { cause });
  }
  return { folder, traffic: () => traffic.report(), close };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => server.once("error", reject).listen(path, resolve));
}

const REFUSED = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n";
const UNREACHED = "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n";

interface Reach {
  readonly hosts: readonly HostPort[];
  readonly lookup: Lookup;
  readonly traffic: Traffic;
}

interface Asking extends Reach {
  readonly ask: typeof httpRequest;
}

interface Tunnelling extends Reach {
  readonly keep: (socket: Socket) => Socket;
  readonly plain: (client: Socket, target: HostPort) => void;
}

function tunnel(request: IncomingMessage, client: Socket, head: Buffer, { hosts, lookup, keep, traffic, plain }: Tunnelling): void {
  const target = parseHost(request.url ?? "");
  if (target === null || !isNamed(target, hosts)) {
    traffic.refuse(target === null ? "(not a host)" : nameOf(target), NOT_NAMED);
    return void client.end(REFUSED);
  }
  const upstream = keep(connect({ ...target, lookup, allowHalfOpen: true }));
  let open = false;
  const join = (first: Buffer) => {
    const ended = traffic.open(nameOf(target), { out: () => upstream.bytesWritten, in: () => upstream.bytesRead });
    upstream.once("close", ended);
    if (first.length > 0) upstream.write(first);
    client.pipe(upstream).pipe(client);
  };
  upstream.once("connect", () => {
    open = true;
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    // This machine is no front for other hosts, and its services may speak anything.
    if (isNear(target)) return join(head);
    enter(client, head, target, {
      join,
      plain: () => {
        upstream.removeAllListeners("close").destroy();
        plain(client, target);
      },
      refuse: (reason) => {
        traffic.refuse(nameOf(target), reason);
        client.destroy();
      },
    });
  });
  upstream.once("close", () => (open ? client.destroy() : client.end(UNREACHED)));
  client.once("close", () => upstream.destroy());
}

/** Checks each request, because a kept-alive connection may ask for another host next. */
function passOn(request: IncomingMessage, response: ServerResponse, asking: Asking): void {
  const url = URL.parse(request.url ?? "");
  const target = url?.protocol === "http:" ? parseHost(`${url.hostname}:${url.port === "" ? "80" : url.port}`) : null;
  if (url === null || target === null || !isNamed(target, asking.hosts)) {
    asking.traffic.refuse(target === null ? "(not a host)" : nameOf(target), NOT_NAMED);
    return void response.writeHead(403, { connection: "close" }).end();
  }
  forward(request, response, target, { path: `${url.pathname}${url.search}`, host: url.host }, asking);
}

function passInside(request: IncomingMessage, response: ServerResponse, target: HostPort | undefined, asking: Asking): void {
  const host = request.headers.host ?? "";
  const named = target === undefined ? null : parseHost(/:\d+$/.test(host) ? host : `${host}:${target.port}`);
  if (target === undefined || named?.host !== target.host || request.url?.startsWith("/") !== true) {
    if (target !== undefined) asking.traffic.refuse(nameOf(target), `a request inside was for ${JSON.stringify(host.slice(0, 100))}`);
    return void response.writeHead(403, { connection: "close" }).end();
  }
  forward(request, response, target, { path: request.url, host }, asking);
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  target: HostPort,
  { path, host }: { readonly path: string; readonly host: string },
  { lookup, ask, traffic }: Asking,
): void {
  const { "proxy-connection": _ours, ...headers } = request.headers;
  const upstream = ask({ ...target, lookup, method: request.method, path, headers: { ...headers, host } });
  upstream.once("socket", (socket) => {
    // The connection may have served earlier requests.
    const before = { out: socket.bytesWritten, in: socket.bytesRead };
    const meter = { out: () => socket.bytesWritten - before.out, in: () => socket.bytesRead - before.in };
    upstream.once("close", traffic.open(nameOf(target), meter));
  });
  upstream.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.once("error", () => response.destroy());
    answer.pipe(response);
  });
  upstream.once("error", () => (response.headersSent ? response.destroy() : response.writeHead(502, { connection: "close" }).end()));
  response.once("close", () => upstream.destroy());
  request.pipe(upstream);
}
