import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { KEPT_STDERR_BYTES } from "../command.ts";
import type { AgentProcessEnd } from "../process/contract.ts";
import { withHome } from "../process/home.ts";
import type { Provider, ProviderReply, ProviderRequest, Workplace } from "../provider.ts";
import type { Client, Preparation, StreamResult } from "./client.ts";
import { findCredentials, keyVariables, secretsOf, type Credentials } from "./credentials.ts";
import { usageIn } from "./usage-log.ts";
import { authMissing, endFailure, errorFailure } from "./failures.ts";
import { openStream, type ClientStream } from "./stream.ts";
import { errorIn } from "./error-text.ts";

export interface ClientOptions {
  /** Program and first arguments. */
  readonly command: readonly string[];
  /** Host folders that contain the program. */
  readonly programs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configEnv: string | null;
  readonly baseUrl: string | null;
  /** Its own limit; the limit of the request applies as well. */
  readonly timeoutMs: number | null;
  readonly now: () => number;
  readonly maxOutputBytes?: number;
  /** How long the process may take to exit after its final answer. */
  readonly lingerMs?: number;
}

const MAX_OUTPUT_BYTES = 512 * 1024 ** 2;
const LINGER_MS = 10_000;
/** The only host variables passed on; the key is added. */
const PASSED_ON = ["PATH", "LANG", "LC_ALL", "TZ"];

/** A command line client, with a new process for every call. */
export function clientProvider(client: Client, options: ClientOptions): Provider {
  return {
    name: client.name,
    works: "folder",
    needsFolder: true,
    holdsSchema: ({ schema }) => client.holdsSchema?.(schema) === true,
    invoke: (request, signal) => invokeClient(client, options, request, signal),
  };
}

async function invokeClient(client: Client, options: ClientOptions, request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
  const { workplace, model } = request;
  if (workplace === null)
    throw new SlipwayError("internal_error", `${client.title} was given no folder to work in.`, { provider: client.name });
  const { env, configEnv, baseUrl, now } = options;
  const found = findCredentials(client, { env, configEnv, model, now: now() });
  const credentials: Credentials | null = found ?? (baseUrl !== null && client.name === "opencode" ? { kind: "none" } : null);
  if (credentials === null) throw authMissing(client);
  return withHome("home", async (home) => {
    const preparation = client.prepare({ request, home, baseUrl, credentials, nonce: randomBytes(12).toString("hex") });
    await writeInto(home, { ...(credentials.kind === "signed_in" ? credentials.files : {}), ...preparation.files });
    const stream = openStream(client, { request, now, secrets: secretsOf(credentials) });
    const timeoutMs = Math.min(request.timeoutMs, options.timeoutMs ?? Infinity);
    try {
      const end = await run(workplace, { options, preparation, credentials, home, stream, timeoutMs, signal });
      return await withRequests(client, home, replyFrom(client, { end, stream, preparation, timeoutMs, now: now() }));
    } catch (error) {
      await tellSpent(client, home, stream, request);
      throw error;
    }
  });
}

/** What the client's own log knows better than its stream, which has only a sum, and perhaps no model. */
async function withRequests({ usageLog }: Client, home: string, reply: ProviderReply): Promise<ProviderReply> {
  const spent = usageLog === undefined ? null : await usageIn(home, usageLog);
  return spent === null ? reply : { ...reply, requests: spent.requests, model: reply.model ?? spent.model };
}

/** A call without an answer costs too. */
async function tellSpent({ usageLog }: Client, home: string, stream: ClientStream, { onEvent }: ProviderRequest): Promise<void> {
  const { input_tokens, output_tokens } = stream.result().usage;
  if (usageLog === undefined || input_tokens + output_tokens > 0) return;
  const spent = await usageIn(home, usageLog);
  for (const usage of spent?.requests ?? []) onEvent?.({ kind: "usage", usage, model: spent?.model ?? null });
}

/** Writes the client's own files into its HOME. */
export async function writeInto(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content, { mode: 0o600 });
  }
  // Codex refuses a home below the temporary folder, so that folder is below the home.
  await mkdir(join(home, "tmp"), { recursive: true });
}

interface Running {
  readonly options: ClientOptions;
  readonly preparation: Preparation;
  readonly credentials: Credentials;
  readonly home: string;
  readonly stream: ClientStream;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Half of the captured stderr: a secret cut off at the start of the capture is not in this half. */
const TOLD_STDERR = KEPT_STDERR_BYTES / 2;
const SAID_EVERYTHING = Symbol("answered completely");

/** Null if it gave its final answer but had to be killed. */
async function run(workplace: Workplace, running: Running): Promise<AgentProcessEnd | null> {
  const { options, preparation, credentials, home, stream, timeoutMs, signal } = running;
  const enough = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    const end = await workplace.run({
      command: [...options.command, ...preparation.args],
      env: { ...passedOn(options.env), TMPDIR: join(home, "tmp"), ...preparation.env, ...keyVariables(credentials) },
      input: preparation.input,
      programs: options.programs,
      home,
      hosts: preparation.hosts,
      timeoutMs,
      signal: AbortSignal.any([signal, enough.signal]),
      onStdout: (chunk) => {
        stream.push(chunk);
        if (timer === undefined && stream.settled()) timer = setTimeout(() => enough.abort(SAID_EVERYTHING), options.lingerMs ?? LINGER_MS);
      },
      maxOutputBytes: options.maxOutputBytes ?? MAX_OUTPUT_BYTES,
    });
    return { ...end, stderr: stream.scrub(end.stderr).slice(-TOLD_STDERR) };
  } catch (error) {
    if (error === SAID_EVERYTHING) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    stream.end();
  }
}

function passedOn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

interface Ended {
  readonly end: AgentProcessEnd | null;
  readonly stream: ClientStream;
  readonly preparation: Preparation;
  readonly timeoutMs: number;
  readonly now: number;
}

/** The exit code is ignored: a complete answer counts, an incomplete one does not. */
function replyFrom(client: Client, { end, stream, preparation, timeoutMs, now }: Ended): ProviderReply {
  const result = stream.result();
  if (result.error !== null) throw errorFailure(client, result.error, result, now);
  if (result.complete && result.answer !== null && result.answer !== "") {
    const { usage, model } = result;
    const text = preparation.unwrap?.(result.answer) ?? result.answer;
    return { text, usage, model, warnings: warnings(client, end, stream) };
  }
  if (result.waitsFor != null) throw errorFailure(client, result.waitsFor, result, now);
  if (end === null) throw errorFailure(client, { kind: "other", message: "it finished without an answer" }, result, now);
  throw early(client, end, stream, result, now) ?? endFailure(client, end, stream.spoke(), timeoutMs);
}

/** A client that fails before its first event explains it on stderr, which contains no model text yet. */
function early(client: Client, end: AgentProcessEnd, stream: ClientStream, result: StreamResult, now: number): SlipwayError | null {
  if (end.kind !== "exit" || stream.spoke()) return null;
  const error = errorIn(end.stderr.trim(), now);
  return error.kind === "auth" || error.kind === "quota" ? errorFailure(client, error, result, now) : null;
}

function warnings({ title }: Client, end: AgentProcessEnd | null, stream: ClientStream): string[] {
  const odd = end === null ? "had to be stopped" : end.kind === "exit" && end.exitCode === 0 ? null : ended(end);
  return [
    ...(odd === null ? [] : [`${title} answered and then ${odd}; the answer was taken.`]),
    ...(stream.dropped() === 0 ? [] : [`${title} wrote ${stream.dropped()} overlong lines, which were skipped.`]),
  ];
}

function ended(end: AgentProcessEnd): string {
  if (end.kind === "exit") return `ended with exit code ${end.exitCode}`;
  return end.kind === "signal" ? `was ended by ${end.signal}` : `did not end by itself (${end.kind})`;
}
