import type { AgentEvent } from "../provider.ts";
import { boundedText } from "./bounded-text.ts";
import { addUsage, NOTHING_USED, usageOf, type ReplyUsage } from "../usage.ts";
import type { StreamReader, ClientError } from "./client.ts";
import type { UsageLog } from "./usage-log.ts";
import { amount, count, object, text, type JsonObject } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { errorIn } from "./error-text.ts";

export const STEPS = ".slipway/steps.jsonl";

/** opencode waits silently for limits, possibly for hours; this plugin reports the wait. It also logs the usage of each step. */
export const PLUGIN = `import { appendFileSync } from "node:fs";
export const Slipway = async () => ({
  event: async ({ event }) => {
    const { status, part } = event.properties ?? {};
    if (event.type === "session.status" && status?.type === "retry") process.stdout.write(JSON.stringify({ ...status, type: "slipway_retry" }) + "\\n");
    if (event.type === "message.part.updated" && part?.type === "step-finish") appendFileSync(process.env.HOME + "/${STEPS}", JSON.stringify(part) + "\\n");
  },
});
`;

/** Used when it speaks another protocol than its JSON events. */
export const opencodeUsageLog: UsageLog = {
  folder: ".slipway",
  file: /^steps\.jsonl$/,
  open() {
    const steps = new Map<string, ReplyUsage>();
    return {
      line: (part) => void steps.set(text(part["id"]), usedIn(part)),
      spent: () => ({ requests: [...steps.values()], model: null }),
    };
  },
};

function usedIn(step: JsonObject): ReplyUsage {
  const tokens = object(step["tokens"]);
  const cache = object(tokens["cache"]);
  const [cached_input_tokens, cache_write_tokens] = [count(cache["read"]), count(cache["write"])];
  return usageOf({
    input_tokens: count(tokens["input"]) + cached_input_tokens + cache_write_tokens,
    output_tokens: count(tokens["output"]) + count(tokens["reasoning"]),
    cached_input_tokens,
    cache_write_tokens,
    cost_usd: amount(step["cost"]),
  });
}

/** How many retries of other errors, and of limits, are tolerated. */
const PATIENCE = 3;
const LIMITS_PATIENCE = 6;
/** A wait that opencode may make itself, because its session then continues. */
const SHORT_WAIT_MS = 120_000;

/** A line of the plugin that justifies ending the call; null for every other line. */
export function opencodeWaits(event: JsonObject, now: number): ClientError | null {
  const wait = waitIn(event, now);
  return wait?.isShort === false ? wait.error : null;
}

interface Wait {
  readonly error: ClientError;
  /** opencode may wait itself. */
  readonly isShort: boolean;
}

function waitIn(event: JsonObject, now: number): Wait | null {
  if (event["type"] !== "slipway_retry") return null;
  const guessed = errorIn(text(event["message"]), now);
  const next = amount(event["next"]) || null;
  // For an exhausted quota it backs off like for any error, and does not know the reset time.
  if (guessed.kind === "quota") return { error: { ...guessed, wakeAt: null }, isShort: false };
  const attempt = count(event["attempt"]);
  if (guessed.kind === "rate_limit") {
    const wakeAt = next ?? guessed.wakeAt ?? null;
    return { error: { ...guessed, wakeAt }, isShort: wakeAt !== null && wakeAt - now <= SHORT_WAIT_MS && attempt < LIMITS_PATIENCE };
  }
  const kind = guessed.kind === "outage" ? "outage" : "other";
  return { error: { kind, message: guessed.message }, isShort: attempt < PATIENCE };
}

/** Events of `opencode run --format json`. There is no final event: a step that ends for a reason other than tools is the last. */
export function readOpencode(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  const answerText = boundedText();
  let usage = NOTHING_USED;
  let complete = false;
  let error: ClientError | null = null;
  let waitsFor: ClientError | null = null;

  function stepFinished(part: JsonObject): void {
    const step = usedIn(part);
    // Per step, so that the usage of a stopped call is known too.
    emit({ kind: "usage", usage: step, model: null });
    usage = addUsage(usage, step);
    const reason = text(part["reason"]);
    if (reason === "tool-calls") return;
    complete = true;
    // The answer is paid for: it counts more than what went wrong before it.
    error = null;
    if (reason === "content-filter") error = { kind: "refusal", message: answerText.value() ?? "" };
    else if (reason === "length") error = { kind: "other", message: "the answer was cut off at the model's limit" };
    else if (answerText.value() === null && step.output_tokens > 0)
      error = { kind: "refusal", message: "it ended its turn without text, which indicates a refusal" };
  }

  function toolUsed(part: JsonObject): void {
    const state = object(part["state"]);
    const id = text(part["callID"]);
    tools.begun(id, text(part["tool"]), state["input"]);
    tools.ended(id, text(state["output"]) || text(state["error"]), state["status"] === "completed");
  }

  function failed({ name, data }: JsonObject): void {
    const { message, responseBody, statusCode } = object(data);
    const guessed = errorIn(`${text(name)} ${String(statusCode ?? "")} ${text(message)} ${text(responseBody)}`, now());
    error ??= { ...guessed, message: text(message) || text(name) };
  }

  return {
    line(event) {
      const part = object(event["part"]);
      if (event["type"] === "step_start") answerText.clear();
      if (event["type"] === "text") {
        answerText.add(text(part["text"]));
        emit({ kind: "text", text: text(part["text"]) });
      }
      if (event["type"] === "tool_use") toolUsed(part);
      if (event["type"] === "step_finish") stepFinished(part);
      if (event["type"] === "error") failed(object(event["error"]));
      const wait = waitIn(event, now());
      if (wait?.isShort === false) error ??= wait.error;
      waitsFor = wait?.error ?? (event["type"] === "step_finish" ? null : waitsFor);
    },
    result: () => ({ answer: answerText.value(), complete, usage, model: null, error, waitsFor }),
  };
}
