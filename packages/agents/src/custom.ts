import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { SlipwayError } from "./errors.ts";
import { runCommand } from "./command.ts";
import { replyReader, type End, type ReplyReader } from "./custom-reply.ts";
import type { OpenContext } from "./open.ts";
import { findProgram } from "./program.ts";
import type { Provider, ProviderRequest, Workplace } from "./provider.ts";
import type { Selection } from "./select.ts";

export interface CustomOptions {
  /** Program and arguments; never a shell line. */
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** The whole environment of the command; see `agentEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: prompt. */
  readonly works?: Provider["works"];
  /** For a command that works in a folder, in the sandbox: further programs and hosts. */
  readonly programs?: readonly string[];
  readonly hosts?: readonly string[];
  /** Values that must appear in no error. */
  readonly secrets?: readonly string[];
  readonly maxOutputBytes?: number;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** A command that reads one JSON request on stdin and writes one JSON reply, {"text"} or {"output"}, on stdout. */
export function customProvider(options: CustomOptions): Provider {
  const { command, works = "prompt", secrets = [] } = options;
  const known = secrets.filter((secret) => secret !== "");
  const scrub = (text: string) => known.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "[secret]"), text);
  return {
    name: "custom",
    works,
    async invoke(request, signal) {
      const reader = replyReader({ command: command.join(" "), scrub, onEvent: request.onEvent });
      const end =
        works === "folder"
          ? await inFolder(options, request, workplaceOf(request), signal, reader)
          : await besideIt(options, request, signal, reader);
      return reader.reply(end);
    },
  };
}

function besideIt(options: CustomOptions, request: ProviderRequest, signal: AbortSignal, reader: ReplyReader): Promise<End> {
  const { command, env, cwd, maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  return runCommand({
    command,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    input: wireRequest(request),
    timeoutMs: patience(options, request),
    maxOutputBytes,
    signal,
    onStdout: reader.take,
  });
}

async function inFolder(
  options: CustomOptions,
  request: ProviderRequest,
  workplace: Workplace,
  signal: AbortSignal,
  reader: ReplyReader,
): Promise<End> {
  const { command, env, programs = [], hosts = [], maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  const timeoutMs = patience(options, request);
  const home = await mkdtemp(join(tmpdir(), "slipway-custom-"));
  try {
    const input = wireRequest(request);
    const process = { command, env, input, programs, home, hosts, timeoutMs, signal, onStdout: reader.take, maxOutputBytes };
    const end = await workplace.run(process);
    return end.kind === "timeout" ? { ...end, afterMs: timeoutMs } : end;
  } finally {
    await removeTree(home);
  }
}

function patience({ timeoutMs }: CustomOptions, request: ProviderRequest): number {
  return Math.min(timeoutMs, request.timeoutMs);
}

function workplaceOf({ workplace }: ProviderRequest): Workplace {
  if (workplace !== null) return workplace;
  throw new SlipwayError("internal_error", "The provider custom works in a folder, but the request has none.");
}

export async function openCustom({ agents, env, root }: OpenContext, { configEnv }: Selection): Promise<Provider> {
  const custom = agents?.runtime.custom;
  if (custom === undefined) {
    throw new SlipwayError("agent_provider_not_configured", "The provider custom needs a command.", {
      file: "slipway/agents.yaml",
      field: "runtime.custom.command",
      suggested_next_actions: [
        "Set runtime.custom.command in slipway/agents.yaml: a command that reads one JSON request on stdin and writes one JSON reply.",
      ],
    });
  }
  const { works, hosts, timeout_seconds, command, programs } = custom;
  const [name = "", ...parameters] = command;
  const program = works === "folder" ? findProgram(name, env["PATH"], root) : null;
  return customProvider({
    command: program === null ? command : [program.path, ...parameters],
    timeoutMs: timeout_seconds * 1000,
    env: agentEnvironment(env, configEnv === null ? [] : [configEnv]),
    cwd: root,
    works,
    hosts,
    programs: [...(program?.folders ?? []), ...programs.map((path) => resolve(root, path))],
    secrets: configEnv === null ? [] : [env[configEnv] ?? ""],
  });
}

/** Host variables passed to an agent's process, besides the one with its credentials. */
const PASSED_ON = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "TERM"];

export function agentEnvironment(host: Readonly<Record<string, string | undefined>>, also: readonly string[] = []): Record<string, string> {
  return Object.fromEntries([...PASSED_ON, ...also].flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])));
}

function wireRequest({ role, subject, attempt, repair, system, prompt, promptDigest, schema, model, input }: ProviderRequest): string {
  return `${JSON.stringify({ version: 1, role, subject, attempt, repair, system, prompt, prompt_digest: promptDigest, schema, model, input })}\n`;
}
