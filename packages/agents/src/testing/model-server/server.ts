import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { readBody, writeFrames, type Cut } from "./body.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { answerToList } from "./lists.ts";
import { replyFor } from "./reply.ts";
import { responses } from "./responses.ts";
import type { ModelRequest, Script, ScriptedAnswer, WireName } from "./script.ts";
import { answerToSideCall } from "./side-calls.ts";
import { parsed, record, type HttpFailure, type Wire } from "./wire.ts";

export interface ModelServer {
  /** http://127.0.0.1:port, as Claude Code and Gemini CLI expect it. */
  readonly url: string;
  readonly port: number;
  /** The base URL of each wire for the AI SDK, Codex and opencode. */
  readonly baseUrls: Readonly<Record<WireName, string>>;
  /** All requests to the script, in order. */
  readonly requests: readonly ModelRequest[];
  /** Requests such as titles, which do not reach the script. */
  readonly sideCalls: readonly ModelRequest[];
  /** Every call of every kind, as "METHOD path". */
  readonly calls: readonly string[];
  /** Resolves when the script has been asked this often. */
  asked(times: number): Promise<void>;
  /** Resolves when this many clients disconnected before their answer was complete. */
  abandoned(times: number): Promise<void>;
  close(): Promise<void>;
}

const WIRES: Readonly<Record<WireName, Wire>> = { anthropic, responses, chat, gemini };

const PATHS: readonly (readonly [RegExp, WireName])[] = [
  [/\/messages$/, "anthropic"],
  [/\/responses$/, "responses"],
  [/\/chat\/completions$/, "chat"],
  [/\/models\/[^/]+:(?:stream)?[gG]enerateContent$/, "gemini"],
];

/** A model server on loopback that speaks the vendors' formats and answers by script. */
export async function startModelServer(script: Script, options: { readonly port?: number } = {}): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const sideCalls: ModelRequest[] = [];
  const calls: string[] = [];
  const asked = counter();
  const abandoned = counter();
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else sendJson(outgoing, { status: 500, headers: {}, body: { error: { message: `The script failed: ${String(error)}` } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", url);
    const path = decodeURIComponent(pathname);
    calls.push(`${incoming.method} ${path}`);
    const bytes = await readBody(incoming);
    const wireName = incoming.method === "POST" ? PATHS.find(([pattern]) => pattern.test(path))?.[1] : undefined;
    if (wireName === undefined) {
      const missing = {
        status: 404,
        headers: {},
        body: { type: "error", error: { type: "not_found_error", message: `Nothing at ${path}.` } },
      };
      sendJson(outgoing, answerToList(incoming.method ?? "GET", path, searchParams, bytes.byteLength) ?? missing);
      return;
    }
    outgoing.once("close", () => outgoing.writableFinished || abandoned.more());
    const body = record(parsed(bytes.toString("utf8")));
    const read = WIRES[wireName].read(body, path);
    const turn = read.messages.filter(({ role }) => role === "assistant").length;
    const request: ModelRequest = { ...read, wire: wireName, turn, headers: incoming.headers, path, body };
    const side = answerToSideCall(request);
    if (side !== null) sideCalls.push(request);
    else {
      requests.push(request);
      asked.more();
    }
    await send(outgoing, side ?? (await script(request)), request, `${port}_${requests.length}_${sideCalls.length}`);
  }

  return {
    url,
    port,
    baseUrls: { anthropic: `${url}/v1`, responses: `${url}/v1`, chat: `${url}/v1`, gemini: `${url}/v1beta` },
    requests,
    sideCalls,
    calls,
    asked: asked.reached,
    abandoned: abandoned.reached,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(outgoing: ServerResponse, answer: ScriptedAnswer, request: ModelRequest, id: string): Promise<void> {
  const wire = WIRES[request.wire];
  if ("hang" in answer) return;
  if ("error" in answer) return sendJson(outgoing, { status: answer.error, headers: answer.headers ?? {}, body: answer.body ?? {} });
  if ("failure" in answer) {
    if (!answer.inStream) return sendJson(outgoing, wire.failure(answer.failure, answer.retryAfterSeconds ?? null));
    return sendFrames(outgoing, "text/event-stream", wire.failureEvents(answer.failure, request.model), {});
  }
  const reply = replyFor(answer, request, id);
  if (request.stream) return sendFrames(outgoing, "text/event-stream", wire.events(reply), answer);
  return sendFrames(outgoing, "application/json", [JSON.stringify(wire.whole(reply))], answer);
}

async function sendFrames(outgoing: ServerResponse, type: string, frames: Iterable<string>, cut: Cut): Promise<void> {
  outgoing.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  outgoing.flushHeaders();
  if ((await writeFrames(outgoing, frames, cut)) || cut.endAfter !== undefined) outgoing.end();
  else if (cut.hangAfter === undefined) outgoing.destroy();
}

function sendJson(outgoing: ServerResponse, { status, headers, body }: HttpFailure): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

function counter() {
  let count = 0;
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  return {
    more: () => {
      count += 1;
      waiting.filter(({ times }) => times <= count).forEach(({ resolve }) => resolve());
    },
    reached: (times: number) =>
      new Promise<void>((resolve) => {
        if (count >= times) resolve();
        else waiting.push({ times, resolve });
      }),
  };
}
