import { setTimeout as sleep } from "node:timers/promises";
import { methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import { SlipwayError } from "../errors.ts";
import { usageIn, type Spent } from "../clients/usage-log.ts";
import { parsedObject } from "../clients/json.ts";
import type { AgentProcessEnd } from "../process/contract.ts";
import { withHome } from "../process/home.ts";
import type { Provider, ProviderReply, ProviderRequest, Workplace } from "../provider.ts";
import type { ReplyUsage } from "../usage.ts";
import type { AcpAgent, AcpEnvironment } from "./agents.ts";
import { modelIn } from "./vendor-extensions.ts";
import { connectClient } from "./client.ts";
import { converse, ProtocolProblem, type FinishedTurn } from "./conversation.ts";
import { endFailure, isPause, replyFailure, reportedFailure, stopFailure, turnFailure, type Stop } from "./failures.ts";
import { openTurn } from "./turn.ts";
import { openWire } from "./wire.ts";

const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_CHARACTERS = 8 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024;
/** How long a cancelled agent may take to confirm. */
const CANCEL_GRACE_MS = 1_000;

/** Any agent that speaks the Agent Client Protocol. It works in the pack, and rules decide its permission requests. */
export function acpProvider(agent: AcpAgent): Provider {
  return {
    name: `acp:${agent.name}`,
    works: "folder",
    needsFolder: true,
    async invoke(request, signal) {
      signal.throwIfAborted();
      if (request.workplace === null) throw new SlipwayError("internal_error", `acp:${agent.name} was given no workplace.`);
      const { workplace } = request;
      return withHome("acp", async (home) => {
        const surroundings = await agent.prepare(request, home);
        return oneTurn({ agent, request, workplace, home, surroundings, signal });
      });
    },
  };
}

type Talk = { readonly finished: FinishedTurn } | { readonly error: unknown };

interface Work {
  readonly agent: AcpAgent;
  readonly request: ProviderRequest;
  readonly workplace: Workplace;
  readonly home: string;
  readonly surroundings: AcpEnvironment;
  readonly signal: AbortSignal;
}

async function oneTurn({ agent, request, workplace, home, surroundings, signal }: Work): Promise<ProviderReply> {
  const { env, args, hosts, secrets, knowsRole, knowsModel } = surroundings;
  const scrub = (text: string) =>
    secrets.reduce((scrubbed, secret) => (secret === "" ? scrubbed : scrubbed.replaceAll(secret, "[secret]")), text);
  const timeoutMs = Math.min(request.timeoutMs, agent.timeoutMs ?? Infinity);
  const onEvent = request.onEvent ?? (() => undefined);
  const stops = Promise.withResolvers<Stop>();
  const stop = stops.resolve;
  const turn = openTurn({
    maxTextCharacters: MAX_TEXT_CHARACTERS,
    onTooLong: () => stop({ kind: "flood", what: `an answer of more than ${MAX_TEXT_CHARACTERS} characters` }),
    // Wait for a limit outside of the call, where it is visible and does not use up the time limit.
    onRetry: (error) => isPause(error) && stop({ kind: "error", message: error }),
    onEvent,
    now: () => performance.now(),
  });
  const wire = openWire({
    maxLineBytes: MAX_LINE_BYTES,
    onNotification: (method, params) => method === methods.client.session.update && turn.take(params),
    onGarbage: (line) => {
      onEvent({ kind: "raw", line });
      const error = agent.waits?.(parsedObject(line) ?? {}, Date.now()) ?? null;
      if (error !== null) stop({ kind: "error", message: error.message, ...(error.wakeAt === undefined ? {} : { wakeAt: error.wakeAt }) });
    },
    onOverlong: () => stop({ kind: "flood", what: `a line of more than ${MAX_LINE_BYTES} bytes` }),
  });
  const life = new AbortController();
  const running = workplace
    .run({
      command: [...agent.command, ...args],
      env,
      input: wire.toAgent,
      programs: agent.programs,
      home,
      hosts,
      // A second limit: the first one sends session/cancel before it kills.
      timeoutMs: timeoutMs + 2 * CANCEL_GRACE_MS,
      signal: life.signal,
      onStdout: wire.receive,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    })
    .finally(wire.end);
  running.catch(() => undefined);

  const timer = setTimeout(() => stop({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
  const onAbort = () => stop({ kind: "cancelled" });
  signal.addEventListener("abort", onAbort, { once: true });
  const connection = connectClient(wire.stream, { workplace, tools: request.tools, onEvent, stop });
  let sessionId: string | null = null;
  let reply: unknown = null;
  const talk = converse(connection.agent, {
    cwd: workplace.folder,
    text: knowsRole ? request.prompt : `${request.system}\n\n${request.prompt}`,
    model: knowsModel ? null : request.model,
    mode: agent.mode,
    readsItself: agent.readsItself,
    authMethods: agent.authMethods,
    onSession: (id) => (sessionId = id),
  }).then(
    (finished): Talk => {
      reply = finished.reply;
      return { finished };
    },
    (error: unknown): Talk => ({ error }),
  );
  try {
    const outcome = await Promise.race([talk, stops.promise]);
    if ("kind" in outcome) {
      if (sessionId !== null) await connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
      await Promise.race([talk, sleep(CANCEL_GRACE_MS)]);
      signal.throwIfAborted();
      throw stopFailure(agent, outcome, scrub);
    }
    if ("error" in outcome) {
      if (isProtocolError(outcome.error)) throw replyFailure(agent, outcome.error, scrub);
      throw endFailure(agent, await endOf(running, life), scrub);
    }
    const answer = turn.answer();
    if (turn.broken()) throw reportedFailure(agent, scrub(answer));
    return replyOf(agent, outcome.finished, answer, turn.usage(outcome.finished.reply));
  } catch (error) {
    life.abort();
    await running.catch(() => undefined);
    const spent = await spentBy(agent, turn.usage(reply), home);
    for (const usage of spent?.requests ?? []) onEvent({ kind: "usage", usage, model: spent?.model ?? null });
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    connection.close();
    wire.end();
    life.abort();
    await running.catch(() => undefined);
  }
}

/** The known usage of a call that did not finish. */
async function spentBy({ usageLog }: AcpAgent, usage: ReplyUsage, home: string): Promise<Spent | null> {
  if (usage.input_tokens > 0 || usage.cost_usd > 0) return { requests: [usage], model: null };
  return usageLog === null ? null : usageIn(home, usageLog);
}

/** An error reported by the agent; any other error is a broken connection. */
function isProtocolError(error: unknown): error is RequestError | ProtocolProblem {
  return error instanceof RequestError || error instanceof ProtocolProblem;
}

/** The process closed its output; kill it if it does not exit. */
async function endOf(running: Promise<AgentProcessEnd>, life: AbortController): Promise<AgentProcessEnd | null> {
  const end = await Promise.race([running, sleep(CANCEL_GRACE_MS)]);
  if (end === undefined) life.abort();
  return end ?? null;
}

function replyOf(
  agent: AcpAgent,
  { stopReason, reply, warnings }: FinishedTurn,
  text: string,
  usage: ProviderReply["usage"],
): ProviderReply {
  if (stopReason !== "end_turn") throw turnFailure(agent, stopReason, text);
  if (text === "") throw turnFailure(agent, "end_turn and no text", text);
  return { text, usage, model: modelIn(reply), warnings };
}
