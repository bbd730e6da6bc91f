import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { z } from "zod";
import { whyStopped } from "../toolchains/run-tool.ts";
import { encodeMessage, messageReader, type ServerMessage } from "./messages.ts";

export interface ServerCommand {
  readonly sandbox: Sandbox;
  /** The folder of the project, which the server sees read-only. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly readOnly?: readonly string[];
  /** For one request. */
  readonly requestMs: number;
  readonly signal?: AbortSignal;
}

export interface ServerConnection {
  readonly isOpen: boolean;
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Kills the server with all its processes. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

/** Longer than any run; requests have their own limit. */
const SESSION_MS = 24 * 60 * 60 * 1000;

/** Starts a language server in the sandbox. `onMessage` gets what the server sends of its own accord. */
export function connectServer(
  { sandbox, folder, command, env, readOnly = [], requestMs, signal }: ServerCommand,
  onMessage: (method: string, params: unknown) => void,
): ServerConnection {
  const waiting = new Map<number, Waiting>();
  const over = new AbortController();
  const input = openInput();
  let errors = "";
  let last = 0;

  const stop = (reason: string) => {
    input.end();
    over.abort();
    for (const { reject } of waiting.values()) reject(serverFailed(command, reason));
    waiting.clear();
  };
  const abort = () => stop("it was aborted");
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const send = (message: object) => input.write(encodeMessage({ jsonrpc: "2.0", ...message }));
  const read = messageReader((message) => answer(message, waiting, send, onMessage));

  const ended = sandbox
    .run({
      worktree: folder,
      git: "none",
      command,
      folders: [{ path: ".", writable: false }],
      ...(env === undefined ? {} : { env }),
      readOnly,
      input: input.stream,
      timeoutMs: SESSION_MS,
      killGraceMs: 100,
      onOutput(stream, chunk) {
        if (stream === "stderr") errors = `${errors}${Buffer.from(chunk).toString("utf8")}`.slice(-2000);
        const problem = stream === "stdout" ? read(chunk) : null;
        if (problem !== null) stop(problem);
      },
      signal: over.signal,
    })
    .finally(() => signal?.removeEventListener("abort", abort))
    .then(
      (outcome) => stop([whyStopped(outcome, "it") ?? `it ended with ${outcome.exitCode}`, errors.trim().slice(-400)].join(" ").trim()),
      (error: unknown) => stop(String(error)),
    );

  return {
    get isOpen() {
      return !over.signal.aborted;
    },
    request(method, params) {
      if (over.signal.aborted) return Promise.reject(serverFailed(command, "it has ended"));
      const id = ++last;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const timer = setTimeout(() => stop(`it did not answer ${method} within ${requestMs} ms`), requestMs);
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
    notify: (method, params) => send({ method, params }),
    async close() {
      stop("it was closed");
      await ended;
    },
  };
}

function answer(
  { id, method, params, result, error }: ServerMessage,
  waiting: ReadonlyMap<number, Waiting>,
  send: (message: object) => void,
  onMessage: (method: string, params: unknown) => void,
): void {
  if (method === undefined) {
    const request = waiting.get(Number(id));
    if (error === undefined) request?.resolve(result);
    else request?.reject(new SlipwayError("compiler_failed", `The language server refused a request: ${error.message}`));
    return;
  }
  onMessage(method, params);
  if (id !== undefined) send({ id, result: replyTo(method, params) });
}

/** A server may ask for its settings, one for each item; it has none. */
function replyTo(method: string, params: unknown): unknown {
  if (method !== "workspace/configuration") return null;
  const { items } = z.object({ items: z.array(z.unknown()).default([]) }).parse(params);
  return items.map(() => null);
}

function serverFailed(command: readonly string[], reason: string): SlipwayError {
  return new SlipwayError("compiler_failed", `The language server failed (${command.join(" ")}): ${reason}`, {
    suggested_next_actions: ["Try again; the server is started anew."],
  });
}

interface ServerInput {
  readonly stream: ReadableStream<Uint8Array>;
  write(bytes: Uint8Array): void;
  end(): void;
}

function openInput(): ServerInput {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (controller = null),
  });
  return {
    stream,
    write: (bytes) => controller?.enqueue(bytes),
    end() {
      controller?.close();
      controller = null;
    },
  };
}
