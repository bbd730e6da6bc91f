import { SlipwayError } from "../errors.ts";
import type { ErrorCode, ErrorDetails } from "@slipway/durable/errors";
import { visible } from "@slipway/kernel/paths/paths";
import type { AgentProcessEnd } from "../process/contract.ts";
import type { Client, StreamResult, ClientError } from "./client.ts";

/** After a limit without a retry time. */
const DEFAULT_WAIT_MS = 60_000;
const SHOWN_CHARACTERS = 400;

export function notInstalled(
  { name, title, program, install }: Client,
  problem = `there is no program "${program}" on the PATH`,
): SlipwayError {
  return new SlipwayError("agent_not_installed", `${title} is not installed: ${problem}.`, {
    provider: name,
    suggested_next_actions: [`Install it: ${install}`, `Or set runtime.${name}.command in slipway/agents.yaml.`],
  });
}

export function authMissing(client: Client, message = ""): SlipwayError {
  const variables = client.keys.map(({ variable }) => variable);
  const quoted = message === "" ? "" : ` It said ${excerpt(message)}.`;
  return new SlipwayError("provider_auth_missing", `${client.title} has no valid key or sign-in.${quoted}`, {
    provider: client.name,
    variables,
    suggested_next_actions: [client.signIn, `Or set ${variables.join(" or ")}, or name another variable with --provider-config-env.`],
  });
}

/** Maps a problem reported by the client to an error code. */
export function errorFailure(
  client: Client,
  { kind, message, wakeAt = null }: ClientError,
  { usage, model }: StreamResult,
  now: number,
): SlipwayError {
  const { name, title } = client;
  const quoted = message === "" ? "" : `: ${excerpt(message)}`;
  const fail = (code: ErrorCode, what: string, next: string, details: ErrorDetails = {}) =>
    new SlipwayError(code, `${what}${quoted}.`, { provider: name, model, usage, ...details, suggested_next_actions: [next] });
  switch (kind) {
    case "auth":
      return authMissing(client, message);
    case "rate_limit":
      return fail("rate_limited", `The model behind ${title} is limiting requests`, "Wait; the run resumes by itself.", {
        wake_at: wakeAt ?? now + DEFAULT_WAIT_MS,
      });
    case "quota":
      return fail("quota_exhausted", `The quota or credit of ${title} is used up`, "Add credit or wait until it is renewed, then resume.", {
        wake_at: wakeAt,
      });
    case "refusal":
      return fail("agent_refused", `The model behind ${title} declined the task`, "Read the transcript, or choose another model.");
    case "context":
      return fail(
        "context_overflow",
        `The task is too long for the model behind ${title}`,
        "Choose a model with a larger context, or make the task smaller.",
      );
    case "budget":
      return fail("budget_exceeded", `${title} stopped at the reservation of the call`, "Raise the budget, or make the task smaller.");
    case "model":
      return fail("agent_failed", `${title} cannot use this model`, "Choose another with --agent-model.", {
        retryable: false,
        requires_human: true,
      });
    case "outage":
      return fail("provider_unavailable", `The model behind ${title} cannot be reached`, "Wait; the run resumes by itself.");
    default:
      return fail("agent_failed", `${title} reported an error`, "Read the transcript, and start it by hand to see whether it works alone.");
  }
}

/** The process ended without a complete answer. */
export function endFailure({ name, title }: Client, end: AgentProcessEnd, spoke: boolean, timeoutMs: number): SlipwayError {
  const stderr = end.stderr.trim();
  const quoted = stderr === "" ? "" : ` It wrote to stderr: ${visible(stderr.slice(-SHOWN_CHARACTERS))}`;
  const details = end.kind === "exit" ? { exit_code: end.exitCode } : end.kind === "signal" ? { signal: end.signal } : {};
  return new SlipwayError("agent_failed", `${title} ${problemOf(end, spoke, timeoutMs)}.${quoted}`, {
    provider: name,
    stderr,
    suggested_next_actions: ["Read the transcript, and start it by hand to see whether it works alone."],
    ...details,
  });
}

function problemOf(end: AgentProcessEnd, spoke: boolean, timeoutMs: number): string {
  switch (end.kind) {
    case "not_started":
      return end.reason;
    case "timeout":
      return `did not answer within ${timeoutMs / 1000} seconds and was stopped`;
    case "flood":
      return `wrote more than ${end.limitBytes} bytes and was stopped`;
    case "limit":
      return `went beyond its limit of ${end.limit} and was stopped`;
    case "signal":
      return `was ended by ${end.signal} before it answered`;
    case "exit":
      if (end.exitCode !== 0) return `ended with exit code ${end.exitCode} before it answered`;
      return spoke ? "ended before its answer was complete" : "ended without any output";
  }
}

function excerpt(text: string): string {
  return visible(text.slice(0, SHOWN_CHARACTERS));
}
