import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { SlipwayError, type ErrorCode, type ErrorDetails } from "@slipway/durable/errors";
import { visible } from "@slipway/kernel/paths/paths";
import type { Trouble } from "../clients/client.ts";
import { troubleIn } from "../clients/trouble.ts";
import type { AgentProcessEnd } from "../process/contract.ts";
import type { AcpAgent } from "./agents.ts";
import type { ProtocolProblem } from "./conversation.ts";

/** Why we ended a turn before the agent did. */
export type Stop =
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "flood"; readonly what: string }
  | { readonly kind: "permissions"; readonly asked: number }
  | { readonly kind: "trouble"; readonly said: string; readonly wakeAt?: number | null };

const AUTH_REQUIRED = -32000;
const SHOWN_CHARACTERS = 400;

export function stopFailure(agent: AcpAgent, why: Stop, scrub: (text: string) => string): SlipwayError {
  if (why.kind === "trouble") return saidFailure(agent, scrub(why.said), why.wakeAt);
  if (why.kind === "timeout") return failed(agent, `did not answer within ${why.afterMs / 1000} seconds and was stopped`);
  if (why.kind === "flood") return failed(agent, `sent ${why.what} and was stopped`);
  if (why.kind === "permissions") return failed(agent, `asked for permission more than ${why.asked} times and was stopped`);
  return failed(agent, "was told to stop");
}

/** The turn ended as the protocol has it, but not with an answer. */
export function turnFailure(agent: AcpAgent, stopReason: string, text: string): SlipwayError {
  const said = text === "" ? "" : `; it said ${excerpt(text)}`;
  if (stopReason === "refusal") return refused(agent, said);
  return failed(agent, `ended its turn with ${visible(stopReason)}${said}`, { stop_reason: stopReason });
}

/** The process is gone before the turn was over; null when it had to be ended, with its side of the conversation closed. */
export function endFailure(agent: AcpAgent, end: AgentProcessEnd | null, scrub: (text: string) => string): SlipwayError {
  if (end === null) return failed(agent, "closed the conversation before it had answered");
  if (end.kind === "not_started") return notInstalled(agent, "is not there, or cannot be started", { reason: end.reason });
  const stderr = scrub(end.stderr).slice(-SHOWN_CHARACTERS).trim();
  const details = { stderr };
  const said = stderr === "" ? "" : `; it wrote to stderr ${excerpt(stderr)}`;
  const told = classified(agent, stderr, said);
  if (told !== null) return told;
  if (end.kind === "exit") return failed(agent, `ended with exit code ${end.exitCode} before it had answered${said}`, details);
  if (end.kind === "signal") return failed(agent, `was ended by ${end.signal} before it had answered${said}`, details);
  if (end.kind === "flood") return failed(agent, `wrote more than ${end.limitBytes} bytes and was stopped`, details);
  if (end.kind === "limit") return failed(agent, `went beyond its limit of ${end.limit} and was stopped${said}`, details);
  return failed(agent, `did not end in time and was stopped${said}`, details);
}

/** The agent answered a request with an error, or with something the protocol does not have. */
export function replyFailure(agent: AcpAgent, error: RequestError | ProtocolProblem, scrub: (text: string) => string): SlipwayError {
  if (!(error instanceof RequestError)) return failed(agent, scrub(error.message));
  const text = scrub(`${error.message} ${error.data === undefined ? "" : JSON.stringify(error.data)}`).trim();
  return error.code === AUTH_REQUIRED ? authMissing(agent, `; it said ${excerpt(text)}`) : saidFailure(agent, text);
}

/** What it says in its own name; never what its model says. */
export function saidFailure(agent: AcpAgent, text: string, wakeAt?: number | null): SlipwayError {
  return classified(agent, text, `; it said ${excerpt(text)}`, wakeAt) ?? failed(agent, `answered with an error: ${excerpt(text)}`);
}

export function isPause(text: string): boolean {
  const { kind } = troubleIn(text, 0);
  return kind === "rate_limit" || kind === "quota";
}

const CODES: Readonly<Record<Trouble["kind"], ErrorCode | null>> = {
  rate_limit: "rate_limited",
  quota: "quota_exhausted",
  auth: "provider_auth_missing",
  context: "context_overflow",
  refusal: "agent_refused",
  budget: null,
  model: null,
  other: null,
};

const DEFAULT_PAUSE_MS = 60_000;

/** Agents pass on what their model's host said, in words and codes of many kinds. */
function classified(agent: AcpAgent, text: string, said: string, known?: number | null): SlipwayError | null {
  const now = Date.now();
  const { kind, wakeAt: guessed = null } = troubleIn(text, now);
  const wakeAt = known === undefined ? guessed : known;
  const code = CODES[kind];
  if (code === null) return null;
  if (code === "provider_auth_missing") return authMissing(agent, said);
  if (code === "agent_refused") return refused(agent, said);
  if (code === "context_overflow") {
    return new SlipwayError(code, `The task is too long for the agent ${nameOf(agent)}${said}.`, {
      agent: agent.name,
      suggested_next_actions: ["Make the feature smaller, or choose a model with a larger context."],
    });
  }
  return new SlipwayError(code, `The model behind the agent ${nameOf(agent)} takes no more for now${said}.`, {
    agent: agent.name,
    wake_at: wakeAt ?? (code === "rate_limited" ? now + DEFAULT_PAUSE_MS : null),
    suggested_next_actions: ["The run goes on by itself when the pause is over; or choose another provider with --agent-provider."],
  });
}

function refused(agent: AcpAgent, said: string): SlipwayError {
  return new SlipwayError("agent_refused", `The agent ${nameOf(agent)} declined the task${said}.`, {
    agent: agent.name,
    suggested_next_actions: ["Look at the transcript, say more clearly what is wanted and why, or choose another agent."],
  });
}

function authMissing(agent: AcpAgent, said: string): SlipwayError {
  const keys = agent.keys.length === 0 ? "its key" : agent.keys.join(" or ");
  return new SlipwayError("provider_auth_missing", `The agent ${nameOf(agent)} is not signed in${said}.`, {
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
      `Or say how it is started under runtime.acp.${agent.name}.command in slipway/agents.yaml.`,
    ],
  });
}

function failed(agent: AcpAgent, problem: string, details: ErrorDetails = {}): SlipwayError {
  return new SlipwayError("agent_failed", `The agent ${nameOf(agent)} ${problem}.`, {
    agent: agent.name,
    suggested_next_actions: ["Look at the transcript, and start the agent by hand to see whether it works on its own."],
    ...details,
  });
}

function nameOf({ name, command }: AcpAgent): string {
  return `acp:${name} (${visible(command.join(" "))})`;
}

function excerpt(text: string): string {
  return visible(text.slice(0, SHOWN_CHARACTERS));
}
