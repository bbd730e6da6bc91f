import { lookup } from "node:dns/promises";
import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { setTimeout as sleepFor } from "node:timers/promises";
import { endpointProblem } from "../config/notifications.ts";
import { addressKind } from "./addresses.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface SendParts {
  readonly allowLoopback: boolean;
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** For all tries together. */
  readonly timeoutMs?: number;
}

export interface WebhookMessage {
  readonly id: string;
  readonly endpoint: string;
  readonly body: string;
}

export type SendResult =
  { readonly ok: true; readonly attempts: number } | { readonly ok: false; readonly attempts: number; readonly reason: string };

const TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;
const BACKOFF_MS = 500;

/** Failures before the request was written: nothing has arrived, so a further try cannot deliver twice. */
const NOT_DELIVERED: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"]);

/** The receiver says that it has not taken the message. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503]);

/** Sends once. Only what certainly has not arrived is tried again, a few times, within the time limit. */
export async function send(parts: SendParts, message: WebhookMessage, stop?: AbortSignal): Promise<SendResult> {
  const { timeoutMs = TIMEOUT_MS, sleep = (ms, signal) => sleepFor(ms, undefined, { signal }) } = parts;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = stop === undefined ? limit : AbortSignal.any([limit, stop]);
  for (let attempts = 1; ; attempts++) {
    const { reason, again } = await attempt(parts, message, signal).catch((error: unknown) => failed(error, stop, timeoutMs));
    if (reason === null) return { ok: true, attempts };
    if (!again || attempts === MAX_ATTEMPTS || signal.aborted) return { ok: false, attempts, reason };
    await sleep(BACKOFF_MS * attempts, signal).catch(() => undefined);
  }
}

interface Attempt {
  /** Null if the receiver has accepted it. */
  readonly reason: string | null;
  readonly again: boolean;
}

async function attempt(parts: SendParts, message: WebhookMessage, signal: AbortSignal): Promise<Attempt> {
  const problem = endpointProblem(message.endpoint, parts.allowLoopback);
  if (problem !== null) return refused(`the endpoint ${problem}`);
  const url = new URL(message.endpoint);
  const found = await unlessAborted(signal, addressesOf(parts, url.hostname));
  // Every address: which one would be used is not ours to guess.
  const kinds = found.map(({ address }) => addressKind(address));
  if (kinds.some((kind) => kind === "private" || (kind === "loopback" && !parts.allowLoopback)))
    return refused("its host has an address in a private network");
  if (url.protocol === "http:" && kinds.some((kind) => kind !== "loopback")) return refused("the endpoint must begin with https://");
  const [target] = found;
  if (target === undefined) return { reason: "its host has no address", again: true };
  const status = await post(url, target, message, signal);
  if (status >= 200 && status < 300) return { reason: null, again: false };
  if (status >= 300 && status < 400) return refused(`it answered with a redirect (${status}), which is not followed`);
  return { reason: `it answered with status ${status}`, again: TRY_AGAIN.has(status) };
}

function refused(reason: string): Attempt {
  return { reason, again: false };
}

async function addressesOf({ resolve = allAddresses }: SendParts, hostname: string): Promise<readonly ResolvedAddress[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal);
  return family === 0 ? resolve(hostname) : [{ address: literal, family }];
}

function allAddresses(host: string): Promise<readonly ResolvedAddress[]> {
  return lookup(host, { all: true });
}

/** Connects to the address that was checked, whatever the name resolves to by then. Resolves with the status; the answer is not read. */
function post(url: URL, target: ResolvedAddress, { id, body }: WebhookMessage, signal: AbortSignal): Promise<number> {
  const options: RequestOptions = {
    method: "POST",
    agent: false,
    signal,
    lookup: (_host, asked, done) => {
      if (asked.all === true) done(null, [target]);
      else done(null, target.address, target.family);
    },
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "slipway",
      "idempotency-key": id,
    },
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options, (response) => {
      response.on("error", () => undefined);
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on("error", reject);
    request.end(body);
  });
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([work, aborted]);
}

/** Names the error by its code: messages may contain the address. */
function failed(error: unknown, stop: AbortSignal | undefined, timeoutMs: number): Attempt {
  if (stop?.aborted === true) return refused("Slipway ended before it was delivered");
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  if (name === "TimeoutError" || code === "ABORT_ERR") return refused(`no answer within ${timeoutMs / 1000} s`);
  const text = typeof code === "string" ? code : (name ?? "unknown error");
  return { reason: `the connection failed (${text})`, again: NOT_DELIVERED.has(text) };
}
