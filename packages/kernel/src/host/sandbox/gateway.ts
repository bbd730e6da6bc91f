import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, request as httpRequest, Server, ServerResponse } from "node:http";
import { lookup as systemLookup } from "node:dns";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { GATEWAY_SOCKET } from "./forward-script.ts";
import { isNamed, parseHost, type HostPort } from "./hosts.ts";

/** The only way out of a sandbox without network: an HTTP proxy on a Unix socket that reaches only the named hosts. */
export interface Gateway {
  /** Contains only the socket. */
  readonly folder: string;
  close(): Promise<void>;
}

type Lookup = NonNullable<TcpNetConnectOpts["lookup"]>;

export async function openGateway(hosts: readonly HostPort[], lookup: Lookup = systemLookup): Promise<Gateway> {
  // Loaded on demand: few commands need a host, and node:http takes longer to load than bubblewrap to start.
  const { createServer, request: ask } = await import("node:http");
  // Short, because the path of a socket is limited to about a hundred bytes.
  const folder = await mkdtemp(join(tmpdir(), "slipway-gate-"));
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((request, response) => passOn(request, response, { hosts, lookup, ask }));
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => tunnel(request, client, head, { hosts, lookup, keep }));
  server.on("clientError", (_error, socket) => socket.destroy());
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await listening(server, join(folder, GATEWAY_SOCKET));
  } catch (cause) {
    await close();
    throw new SlipwayError("io_error", `The gateway to the named hosts could not be opened in ${folder}.`, { file: folder }, { cause });
  }
  return { folder, close };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => server.once("error", reject).listen(path, resolve));
}

const REFUSED = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n";
const UNREACHED = "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n";

interface Reach {
  readonly hosts: readonly HostPort[];
  readonly lookup: Lookup;
  readonly keep: (socket: Socket) => Socket;
}

interface Asking extends Omit<Reach, "keep"> {
  readonly ask: typeof httpRequest;
}

function tunnel(request: IncomingMessage, client: Socket, head: Buffer, { hosts, lookup, keep }: Reach): void {
  const target = parseHost(request.url ?? "");
  if (target === null || !isNamed(target, hosts)) return void client.end(REFUSED);
  const upstream = keep(connect({ ...target, lookup, allowHalfOpen: true }));
  let open = false;
  upstream.once("connect", () => {
    open = true;
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  upstream.once("close", () => (open ? client.destroy() : client.end(UNREACHED)));
  client.once("close", () => upstream.destroy());
}

/** Checks each request, because a kept-alive connection may ask for another host next. */
function passOn(request: IncomingMessage, response: ServerResponse, { hosts, lookup, ask }: Asking): void {
  const url = URL.parse(request.url ?? "");
  const target = url?.protocol === "http:" ? parseHost(`${url.hostname}:${url.port === "" ? "80" : url.port}`) : null;
  if (url === null || target === null || !isNamed(target, hosts)) return void response.writeHead(403, { connection: "close" }).end();
  const { "proxy-connection": _ours, ...headers } = request.headers;
  const upstream = ask({
    ...target,
    lookup,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host },
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
