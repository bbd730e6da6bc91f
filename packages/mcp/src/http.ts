import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { failureOf } from "@slipway/kernel/tools/envelope";
import { boundConnections, TIMEOUTS } from "./connections.ts";
import type { Authenticate } from "./identify.ts";
import { readBody } from "./read-body.ts";
import { inFull, type ServerParts } from "./server.ts";
import { authInfoFor, openSessions, subjectOf } from "./sessions.ts";
import { readMessage } from "./strict-json.ts";

export const MCP_PATH = "/mcp";
const LOOPBACK = "127.0.0.1";

export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}

export interface HttpOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Serves this machine only. Checks host, origin and token of a request, in this order, before its body is read. */
export async function overHttp(
  parts: ServerParts,
  authenticate: Authenticate,
  { port, maxBodyBytes = MAX_BODY_BYTES }: HttpOptions,
): Promise<HttpServing> {
  const sessions = openSessions(parts);
  const handle = toNodeHandler(sessions, { onerror: (error) => parts.report(error.message) });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (new URL(String(request.url), "http://localhost").pathname !== MCP_PATH) return void response.writeHead(404).end();
    const notLocal = localityError(request);
    if (notLocal !== null) return refuse(response, 403, notLocal);
    const credential = await authenticate(bearerOf(request));
    if (!connections.known(request.socket, subjectOf(credential))) return refuse(response, 429, tooMany());
    const auth = authInfoFor(credential);
    const admitted = Object.assign(request, { auth }) as NodeIncomingMessageLike;
    if (request.method !== "POST") return handle(admitted, response);
    const body = await readBody(request, maxBodyBytes);
    if (body === null) return refuse(response, 413, tooLarge(maxBodyBytes));
    const message = readMessage(body);
    return message.ok ? handle(admitted, response, message.value) : refuse(response, 400, message.error);
  }

  const server = createServer(TIMEOUTS, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (error instanceof SlipwayError && error.code === "unauthenticated") return refuse(response, 401, error);
      parts.report(inFull(error));
      refuse(response, 500, new SlipwayError("internal_error", "Slipway failed before it could process the request."));
    });
  });
  const connections = boundConnections(server);
  await listen(server, port);
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}${MCP_PATH}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await parts.inFlight.drain();
      await sessions.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Against DNS rebinding: a web page that reaches this port under its own name is recognised by the headers. */
function localityError({ headers }: IncomingMessage): SlipwayError | null {
  const host = validateHostHeader(headers.host, localhostAllowedHostnames());
  const origin = validateOriginHeader(headers.origin, localhostAllowedOrigins());
  if (host.ok && origin.ok) return null;
  return new SlipwayError("unauthenticated", "Only programs on this machine are served: Host and Origin must be loopback names.", {
    suggested_next_actions: ["Connect to http://127.0.0.1 or http://localhost."],
  });
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

function tooLarge(limit: number): SlipwayError {
  return new SlipwayError("schema_validation_failed", `The request has more than ${limit} bytes.`, {
    violations: [{ pointer: "", rule: "maximum", expected: `at most ${limit} bytes`, message: "the request is too large" }],
    suggested_next_actions: ["Send less at once: a patch in parts, a search with a narrower pattern."],
  });
}

function tooMany(): SlipwayError {
  return new SlipwayError("rate_limited", "This token has too many open connections.", {
    suggested_next_actions: ["Close connections that are not in use, and try again."],
  });
}

function refuse(response: ServerResponse, status: number, error: SlipwayError): void {
  response.writeHead(status, {
    "content-type": "application/json",
    // The rest of the body is not read.
    connection: "close",
    ...(status === 401 ? { "www-authenticate": 'Bearer realm="slipway"' } : {}),
  });
  response.end(JSON.stringify(failureOf(error)));
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(port, error)));
    server.listen(port, LOOPBACK, resolve);
  });
}

function cannotListen(port: number, cause: Error): SlipwayError {
  return new SlipwayError(
    "io_error",
    `Cannot listen on ${LOOPBACK}:${port}: ${cause.message}.`,
    { port, suggested_next_actions: ["Choose another port with --port, or 0 for any free port."] },
    { cause },
  );
}
