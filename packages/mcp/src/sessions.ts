import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type McpHandlerRequestOptions,
  type Server,
} from "@modelcontextprotocol/server";
import type { Credential } from "@slipway/kernel/tools/credential";
import type { InFlight } from "./in-flight.ts";
import { mcpServer, type ServerParts } from "./server.ts";
import { unauthenticated } from "./tokens.ts";

/** Of one subject; a further one ends its oldest session without a running call. */
const MAX_OF_SUBJECT = 64;
const MAX_SESSIONS = 1024;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** The caller that opened it; tokens of other callers are refused. */
  readonly subject: string;
  /** Calls that have not ended. */
  running: number;
}

/** Serves authenticated requests: those of the newest revision statelessly, those of older clients in sessions. */
export interface Sessions {
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
  close(): Promise<void>;
}

export function openSessions(parts: ServerParts): Sessions {
  const onerror = (error: Error) => parts.report(error.message);
  const serverFor = (credential: Credential, own = parts) => mcpServer(own, async ({ http }) => credentialIn(http?.authInfo), credential);
  const modern = createMcpHandler(({ authInfo }) => serverFor(credentialIn(authInfo)), { legacy: "reject", onerror });
  /** In the order of their last use. */
  const open = new Map<string, Session>();

  /** Null if all sessions are in use. Sessions of other subjects are left alone. */
  async function start(credential: Credential): Promise<Session | null> {
    const subject = subjectOf(credential);
    if (!(await makeRoom(subject))) return null;
    const track: InFlight["track"] = async (call) => {
      session.running++;
      try {
        return await parts.inFlight.track(call);
      } finally {
        session.running--;
      }
    };
    const server = serverFor(credential, { ...parts, inFlight: { ...parts.inFlight, track } });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, session),
      onsessionclosed: (id) => void open.delete(id),
    });
    const session: Session = { transport, server, subject, running: 0 };
    Object.assign(server, { onerror });
    await server.connect(transport);
    return session;
  }

  async function makeRoom(subject: string): Promise<boolean> {
    const own = [...open].filter(([, session]) => session.subject === subject);
    if (own.length < MAX_OF_SUBJECT && open.size < MAX_SESSIONS) return true;
    const idle = own.find(([, { running }]) => running === 0);
    if (idle === undefined) return false;
    const [id, { server }] = idle;
    open.delete(id);
    await server.close();
    return true;
  }

  async function inSession(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const credential = credentialIn(options.authInfo);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await start(credential))?.transport.handleRequest(request, options) ?? full();
    const session = open.get(id);
    if (session === undefined || session.subject !== subjectOf(credential)) return notFound();
    open.delete(id);
    open.set(id, session);
    return session.transport.handleRequest(request, options);
  }

  return {
    async fetch(request, options = {}) {
      return (await isLegacyRequest(request, options.parsedBody)) ? inSession(request, options) : modern.fetch(request, options);
    },
    async close() {
      await modern.close();
      for (const { server } of open.values()) await server.close();
      open.clear();
    },
  };
}

/** Does not pass the token on. */
export function authInfoFor(credential: Credential): AuthInfo {
  return { token: "", clientId: credential.actorId ?? credential.role, scopes: [credential.role], extra: { credential } };
}

function credentialIn(authInfo: AuthInfo | undefined): Credential {
  const credential = authInfo?.extra?.["credential"];
  if (credential === undefined) throw unauthenticated("The request has none.");
  return credential as Credential;
}

/** Two tokens of one caller are the same subject. */
export function subjectOf({ role, actorId, feature }: Credential): string {
  return JSON.stringify([role, actorId, feature]);
}

function full(): Response {
  const message = "Too many sessions with running calls";
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, { status: 429, headers: { "retry-after": "5" } });
}

/** A client that gets this answer starts a new session. */
function notFound(): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } }, { status: 404 });
}
