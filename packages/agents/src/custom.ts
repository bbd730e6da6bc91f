import { SlipwayError } from "@slipway/durable/errors";
import { parseStrictJson } from "@slipway/kernel/config/json";
import { checkSchema } from "@slipway/kernel/config/violations";
import { visible } from "@slipway/kernel/plans/paths";
import { z } from "zod";
import { KEPT_STDERR_BYTES, runCommand, type CommandEnd } from "./command.ts";
import type { OpenContext } from "./open.ts";
import type { Provider, ProviderReply, ProviderRequest } from "./provider.ts";
import type { Selection } from "./select.ts";
import { replyUsageSchema } from "./usage.ts";

export interface CustomOptions {
  /** Program and arguments; never a shell line. */
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** The whole environment of the command; see `agentEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Values that must appear in no error. */
  readonly secrets?: readonly string[];
  readonly maxOutputBytes?: number;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const replySchema = z.union([
  z.strictObject({ error: z.string().min(1) }),
  z.strictObject({ text: z.string(), usage: replyUsageSchema.prefault({}), model: z.string().nullable().default(null) }),
  z.strictObject({ output: z.json(), usage: replyUsageSchema.prefault({}), model: z.string().nullable().default(null) }),
]);

/** A command that reads one JSON request on stdin and writes one JSON reply, {"text"} or {"output"}, on stdout. */
export function customProvider({ command, timeoutMs, env, cwd, secrets = [], maxOutputBytes = MAX_OUTPUT_BYTES }: CustomOptions): Provider {
  const known = secrets.filter((secret) => secret !== "");
  const scrub = (text: string) => known.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "[secret]"), text);
  return {
    name: "custom",
    works: "prompt",
    async invoke(request, signal) {
      const place = cwd === undefined ? {} : { cwd };
      const end = await runCommand({ command, env, ...place, input: wireRequest(request), timeoutMs, maxOutputBytes, signal });
      return replyFrom(end, scrub(command.join(" ")), scrub);
    },
  };
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
  const own = agentEnvironment(env, configEnv === null ? [] : [configEnv]);
  return customProvider({ command: custom.command, timeoutMs: custom.timeout_seconds * 1000, env: own, cwd: root });
}

/** Only these variables of the host, and the one with the provider's credentials, reach an agent's process. */
const PASSED_ON = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "TERM"];

export function agentEnvironment(host: Readonly<Record<string, string | undefined>>, also: readonly string[] = []): Record<string, string> {
  return Object.fromEntries([...PASSED_ON, ...also].flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])));
}

function wireRequest({ role, subject, attempt, repair, system, prompt, promptDigest, schema, model, input }: ProviderRequest): string {
  return `${JSON.stringify({ version: 1, role, subject, attempt, repair, system, prompt, prompt_digest: promptDigest, schema, model, input })}\n`;
}

const SHOWN_CHARACTERS = 200;
/** Half of what is kept of stderr: a secret that was cut in two at its beginning is not in the half that is shown. */
const TOLD_STDERR = KEPT_STDERR_BYTES / 2;

function replyFrom(end: CommandEnd, command: string, scrub: (text: string) => string): ProviderReply {
  const stderr = scrub(end.stderr).slice(-TOLD_STDERR).trim();
  const fail = (problem: string, details: Record<string, unknown> = {}) => {
    const said = stderr === "" ? "" : ` It wrote to stderr: ${visible(stderr.slice(-SHOWN_CHARACTERS))}`;
    const suggested_next_actions = ["Run the command by hand with a JSON request on stdin and look at what it writes."];
    return new SlipwayError("agent_failed", `The agent command "${command}" ${problem}.${said}`, {
      command,
      stderr,
      suggested_next_actions,
      ...details,
    });
  };
  if (end.kind === "not_started") throw fail(end.reason, { retryable: false, requires_human: true });
  if (end.kind === "timeout") throw fail(`did not answer within ${end.afterMs / 1000} seconds and was stopped`);
  if (end.kind === "flood") throw fail(`wrote more than ${end.limitBytes} bytes and was stopped`);
  const stdout = end.stdout.trim();
  const seen = `; it wrote ${stdout === "" ? "nothing" : visible(scrub(stdout))}`;
  if (end.kind === "signal") throw fail(`was ended by ${end.signal}${seen}`, { signal: end.signal });
  if (end.exitCode !== 0) throw fail(`ended with exit code ${end.exitCode}${seen}`, { exit_code: end.exitCode });
  if (stdout === "") throw fail("ended without an answer: nothing on stdout");
  const json = parseStrictJson(stdout);
  // The reader's own message quotes what it read, secrets included.
  if (!json.ok) throw fail(`did not answer with one JSON object${seen}`);
  const checked = checkSchema(replySchema, json.value);
  if (!checked.ok)
    throw fail(`answered with JSON that is no reply: it needs {"text": …} or {"output": …}, and perhaps "usage" and "model"${seen}`);
  const reply = checked.value;
  if ("error" in reply) throw fail(`reported an error: ${visible(scrub(reply.error))}`);
  return { text: "text" in reply ? reply.text : JSON.stringify(reply.output), usage: reply.usage, model: reply.model };
}
