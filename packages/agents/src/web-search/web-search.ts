import { SlipwayError } from "../errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";
import type { WebSearchConfig } from "@slipway/kernel/config/agent-parts/web-search";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { BACKENDS, type FoundPage } from "./backends.ts";

/** At most this many results, best first. */
export type WebSearch = (query: string, maxResults: number, signal: AbortSignal) => Promise<readonly WebSearchResult[]>;

export interface WebSearchResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export const MAX_RESULTS = 10;

const TIMEOUT_MS = 20_000;
const MAX_REPLY_BYTES = 4 * 1024 ** 2;
const MAX_TITLE = 200;
const MAX_SNIPPET = 600;

type Environment = Readonly<Record<string, string | undefined>>;

/** A search over HTTP, or null if none is configured. The key is looked up on use. */
export function openWebSearch(config: WebSearchConfig | undefined, env: Environment): WebSearch | null {
  if (config === undefined) return null;
  const { backend: name, base_url } = config;
  const backend = BACKENDS[name];
  const keyEnv = config.key_env ?? backend.keyEnv;
  return async (query, maxResults, signal) => {
    const key = keyEnv === null ? null : keyFrom(env, keyEnv, name);
    const asked = { query, maxResults: Math.min(maxResults, MAX_RESULTS), key };
    const { url, init } = backend.request(base_url ?? backend.baseUrl ?? "", asked);
    const reply = await textFrom(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }, name, signal);
    const json = parseStrictJson(reply);
    const checked = json.ok ? checkSchema(backend.reply, json.value) : null;
    if (checked?.ok !== true)
      throw failed("provider_unavailable", name, `${url.host} answered with something other than a list of results`);
    return checked.value
      .filter(({ url: found }) => /^https?:\/\//.test(found))
      .slice(0, asked.maxResults)
      .map(plain);
  };
}

function keyFrom(env: Environment, name: string, backend: string): string {
  const key = env[name];
  if (key !== undefined && key !== "") return key;
  throw failed("provider_auth_missing", backend, `there is no key in ${name}`, [
    `Set ${name}, or remove runtime.web_search from slipway/agents.yaml.`,
  ]);
}

async function textFrom(url: URL, init: RequestInit, backend: string, signal: AbortSignal): Promise<string> {
  try {
    // A redirect to another host would leak the key.
    const response = await fetch(url, { ...init, redirect: "error" });
    if (!response.ok) {
      await response.body?.cancel();
      throw failed(codeOf(response.status), backend, `${url.host} answered ${response.status}`);
    }
    return await boundedText(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SlipwayError) throw error;
    throw failed("provider_unavailable", backend, `${url.host} cannot be reached`, undefined, error);
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_REPLY_BYTES) throw new RangeError(`the reply has more than ${MAX_REPLY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return "provider_auth_missing";
  return status === 429 ? "rate_limited" : "provider_unavailable";
}

/** Plain and short: a model reads it together with much else. */
function plain({ url, title, snippet }: FoundPage): WebSearchResult {
  return { url, title: short(title, MAX_TITLE), snippet: short(snippet, MAX_SNIPPET) };
}

function short(text: string, most: number): string {
  const bare = text
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toWellFormed();
  return bare.length > most ? `${bare.slice(0, most).toWellFormed()}…` : bare;
}

const LOOK = ["Check runtime.web_search in slipway/agents.yaml."];

function failed(code: ErrorCode, backend: string, problem: string, next: readonly string[] = LOOK, cause?: unknown): SlipwayError {
  const details = { backend, suggested_next_actions: next };
  return new SlipwayError(code, `The web search (${backend}) failed: ${problem}.`, details, { cause });
}
