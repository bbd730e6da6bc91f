import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { SlipwayError } from "../errors.ts";
import type { ErrorCode, ErrorDetails } from "@slipway/durable/errors";
import { visible } from "@slipway/kernel/paths/paths";
import type { ClientError } from "../clients/client.ts";
import { errorIn } from "../clients/error-text.ts";
import type { AgentProcessEnd } from "../process/contract.ts";
import type { AcpAgent } from "./agents.ts";
import type { ProtocolProblem } from "./conversation.ts";

/** Why Slipway ended a turn early. */
export type Stop =
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "flood"; readonly what: string }
  | { readonly kind: "permissions"; readonly asked: number }
  | { readonly kind: "error"; readonly message: string; readonly wakeAt?: number | null };

const AUTH_REQUIRED = -32000;
const SHOWN_CHARACTERS = 400;

export function stopFailure(agent: AcpAgent, why: Stop, scrub: (text: string) => string): SlipwayError {
  if (why.kind === "error") return reportedFailure(agent, scrub(why.message), why.wakeAt);
  if (why.kind === "timeout") return failed(agent, `did not answer within ${why.afterMs / 1000} seconds and was stopped`);
  if (why.kind === "flood") return failed(agent, `sent ${why.what} and was stopped`);
  if (why.kind === "permissions") return failed(agent, `asked for permission more than ${why.asked} times and was stopped`);
  return failed(agent, "was stopped");
}

/** The turn ended in accordance with the protocol, but without an answer. */
export function turnFailure(agent: AcpAgent, stopReason: string, text: string): SlipwayError {
  const quoted = text === "" ? "" : `; it said ${excerpt(text)}`;
  if (stopReason === "refusal") return refused(agent, quoted);
  return failed(agent, `ended its turn with ${visible(stopReason)}${quoted}`, { stop_reason: stopReason });
}

/** The process ended before the turn did; `end` is null if it closed its side and had to be killed. */
export function endFailure(agent: AcpAgent, end: AgentProcessEnd | null, scrub: (text: string) => string): SlipwayError {
  if (end === null) return failed(agent, "closed the connection before it answered");
  if (end.kind === "not_started") return notInstalled(agent, "is not installed, or cannot be started", { reason: end.reason });
  const stderr = scrub(end.stderr).slice(-SHOWN_CHARACTERS).trim();
  const details = { stderr };
  const quoted = stderr === "" ? "" : `; it wrote to stderr ${excerpt(stderr)}`;
  const recognised = classified(agent, stderr, quoted);
  if (recognised !== null) return recognised;
  if (end.kind === "exit") return failed(agent, `ended with exit code ${end.exitCode} before it answered${quoted}`, details);
  if (end.kind === "signal") return failed(agent, `was ended by ${end.signal} before it answered${quoted}`, details);
  if (end.kind === "flood") return failed(agent, `wrote more than ${end.limitBytes} bytes and was stopped`, details);
  if (end.kind === "limit") return failed(agent, `went beyond its limit of ${end.limit} and was stopped${quoted}`, details);
  return failed(agent, `did not end in time and was stopped${quoted}`, details);
}

/** The agent replied with an error or with an invalid message. */
export function replyFailure(agent: AcpAgent, error: RequestError | ProtocolProblem, scrub: (text: string) => string): SlipwayError {
  if (!(error instanceof RequestError)) return failed(agent, scrub(error.message));
  const text = scrub(`${error.message} ${error.data === undefined ? "" : JSON.stringify(error.data)}`).trim();
  return error.code === AUTH_REQUIRED ? authMissing(agent, `; it said ${excerpt(text)}`) : reportedFailure(agent, text);
}

/** For errors the agent reports itself, never for text of its model. */
export function reportedFailure(agent: AcpAgent, text: string, wakeAt?: number | null): SlipwayError {
  return classified(agent, text, `; it said ${excerpt(text)}`, wakeAt) ?? failed(agent, `answered with an error: ${excerpt(text)}`);
}

export function isPause(text: string): boolean {
  const { kind } = errorIn(text, 0);
  return kind === "rate_limit" || kind === "quota";
}

const CODES: Readonly<Record<ClientError["kind"], ErrorCode | null>> = {
  rate_limit: "rate_limited",
  quota: "quota_exhausted",
  auth: "provider_auth_missing",
  context: "context_overflow",
  refusal: "agent_refused",
  outage: "provider_unavailable",
  budget: null,
  model: null,
  other: null,
};

const DEFAULT_PAUSE_MS = 60_000;

/** Agents pass on errors of the model provider in many forms. */
function classified(agent: AcpAgent, text: string, quoted: string, known?: number | null): SlipwayError | null {
  const now = Date.now();
  const { kind, wakeAt: guessed = null } = errorIn(text, now);
  const wakeAt = known === undefined ? guessed : known;
  const code = CODES[kind];
  if (code === null) return null;
  if (code === "provider_auth_missing") return authMissing(agent, quoted);
  if (code === "agent_refused") return refused(agent, quoted);
  if (code === "context_overflow") {
    return new SlipwayError(code, `The task is too long for the agent ${nameOf(agent)}${quoted}.`, {
      agent: agent.name,
      suggested_next_actions: ["Make the feature smaller, or choose a model with a larger context."],
    });
  }
  if (code === "provider_unavailable") {
    return new SlipwayError(code, `The model behind the agent ${nameOf(agent)} cannot be reached${quoted}.`, {
      agent: agent.name,
      suggested_next_actions: ["Wait; the run resumes by itself."],
    });
  }
  return new SlipwayError(code, `The model behind the agent ${nameOf(agent)} has reached its limit${quoted}.`, {
    agent: agent.name,
    wake_at: wakeAt ?? (code === "rate_limited" ? now + DEFAULT_PAUSE_MS : null),
    suggested_next_actions: ["The run resumes when the limit has passed; or choose another provider with --agent-provider."],
  });
}

function refused(agent: AcpAgent, quoted: string): SlipwayError {
  return new SlipwayError("agent_refused", `The agent ${nameOf(agent)} declined the task${quoted}.`, {
    agent: agent.name,
    suggested_next_actions: ["Read the transcript, clarify the specification, or choose another agent."],
  });
}

function authMissing(agent: AcpAgent, quoted: string): SlipwayError {
  const keys = agent.keys.length === 0 ? "its key" : agent.keys.join(" or ");
  return new SlipwayError("provider_auth_missing", `The agent ${nameOf(agent)} is not signed in${quoted}.`, {
    agent: agent.name,
    suggested_next_actions: [`Set ${keys} in the environment, and name it under runtime.acp.${agent.name}.env in slipway/agents.yaml.`],
  });
}

export function notInstalled(agent: AcpAgent, problem: string, details: ErrorDetails = {}): SlipwayError {
  return new SlipwayError("agent_not_installed", `The agent ${nameOf(agent)} ${problem}.`, {
    ...details,
    agent: agent.name,
    command: agent.command,
    suggested_next_actions: [
      ...(agent.install === null ? [] : [`Install it: ${agent.install}`]),
      `Or set its command in runtime.acp.${agent.name}.command of slipway/agents.yaml.`,
    ],
  });
}

function failed(agent: AcpAgent, problem: string, details: ErrorDetails = {}): SlipwayError {
  return new SlipwayError("agent_failed", `The agent ${nameOf(agent)} ${problem}.`, {
    agent: agent.name,
    suggested_next_actions: ["Read the transcript, and start the agent by hand to see whether it works alone."],
    ...details,
  });
}

function nameOf({ name, command }: AcpAgent): string {
  return `acp:${name} (${visible(command.join(" "))})`;
}

function excerpt(text: string): string {
  return visible(text.slice(0, SHOWN_CHARACTERS));
}
