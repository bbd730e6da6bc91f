import { SlipwayError } from "./errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { visible } from "@slipway/kernel/paths/paths";
import { z } from "zod";
import { KEPT_STDERR_BYTES } from "./command.ts";
import { eventReader } from "./custom-events.ts";
import type { AgentEvent, ProviderReply } from "./provider.ts";
import { replyUsageSchema } from "./usage.ts";

/** Error codes a command may return; any other error is `agent_failed`. */
const CODES = [
  "agent_failed",
  "agent_refused",
  "agent_not_installed",
  "provider_auth_missing",
  "provider_unavailable",
  "rate_limited",
  "quota_exhausted",
  "context_overflow",
] as const satisfies readonly ErrorCode[];

const answered = { usage: replyUsageSchema.prefault({}), model: z.string().nullable().default(null) };
const replySchema = z.union([
  z.strictObject({
    error: z.string().min(1),
    code: z.enum(CODES).default("agent_failed"),
    /** Milliseconds since 1970, for the two codes that pause the run. */
    wake_at: z.number().nullable().default(null),
  }),
  z.strictObject({ text: z.string(), ...answered }),
  z.strictObject({ output: z.json(), ...answered }),
]);

export interface ReplyReader {
  readonly take: (chunk: Uint8Array) => void;
  readonly reply: (end: End) => ProviderReply;
}

/** The end of a command or of a process in the sandbox; its output has been read already. */
export type End = { readonly stderr: string } & (
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "flood"; readonly limitBytes: number }
  | { readonly kind: "limit"; readonly limit: string }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "exit"; readonly exitCode: number }
);

interface Reading {
  readonly command: string;
  readonly scrub: (text: string) => string;
  readonly onEvent: ((event: AgentEvent) => void) | undefined;
}

const SHOWN_CHARACTERS = 200;
/** Half of the captured stderr: a secret cut off at the start of the capture is not in this half. */
const TOLD_STDERR = KEPT_STDERR_BYTES / 2;
const DEFAULT_PAUSE_MS = 60_000;

export function replyReader({ command, scrub, onEvent }: Reading): ReplyReader {
  const events = eventReader(onEvent ?? (() => undefined));
  return { take: events.take, reply: (end) => replyFrom(end, events.rest().trim(), scrub(command), scrub) };
}

function replyFrom(end: End, stdout: string, command: string, scrub: (text: string) => string): ProviderReply {
  const stderr = scrub(end.stderr).slice(-TOLD_STDERR).trim();
  const fail = (problem: string, details: Record<string, unknown> = {}, code: ErrorCode = "agent_failed") => {
    const quoted = stderr === "" ? "" : ` It wrote to stderr: ${visible(stderr.slice(-SHOWN_CHARACTERS))}`;
    const suggested_next_actions = ["Run the command by hand with a JSON request on stdin and check its output."];
    return new SlipwayError(code, `The agent command "${command}" ${problem}.${quoted}`, {
      command,
      stderr,
      suggested_next_actions,
      ...details,
    });
  };
  if (end.kind === "not_started") {
    const suggested_next_actions = ["Install it, or correct runtime.custom.command in slipway/agents.yaml."];
    throw fail(end.reason, { suggested_next_actions }, "agent_not_installed");
  }
  if (end.kind === "timeout") throw fail(`did not answer within ${end.afterMs / 1000} seconds and was stopped`);
  if (end.kind === "flood") throw fail(`wrote more than ${end.limitBytes} bytes and was stopped`);
  if (end.kind === "limit") throw fail(`went beyond its limit of ${end.limit} and was stopped`);
  const reply = replyIn(stdout);
  if (reply !== null && "error" in reply) throw fail(`reported an error: ${visible(scrub(reply.error))}`, pause(reply), reply.code);
  const seen = `; it wrote ${stdout === "" ? "nothing" : visible(scrub(stdout))}`;
  // A command killed after its reply is fine; one that exits with an error code has failed.
  if (end.kind === "signal" && reply === null) throw fail(`was ended by ${end.signal}${seen}`, { signal: end.signal });
  if (end.kind === "exit" && end.exitCode !== 0) throw fail(`ended with exit code ${end.exitCode}${seen}`, { exit_code: end.exitCode });
  if (stdout === "") throw fail("ended without an answer: nothing on stdout");
  // The parser's message quotes its input, which may contain secrets.
  if (!parseStrictJson(stdout).ok) throw fail(`did not answer with one JSON object${seen}`);
  if (reply === null)
    throw fail(`answered with JSON that is not a reply: it needs {"text": …} or {"output": …}, and optionally "usage" and "model"${seen}`);
  return { text: "text" in reply ? reply.text : JSON.stringify(reply.output), usage: reply.usage, model: reply.model };
}

function replyIn(stdout: string): z.output<typeof replySchema> | null {
  const json = parseStrictJson(stdout);
  const checked = json.ok ? checkSchema(replySchema, json.value) : json;
  return checked.ok ? checked.value : null;
}

function pause({ code, wake_at }: { readonly code: ErrorCode; readonly wake_at: number | null }): Record<string, unknown> {
  if (code === "quota_exhausted") return { wake_at };
  return code === "rate_limited" ? { wake_at: wake_at ?? Date.now() + DEFAULT_PAUSE_MS } : {};
}
