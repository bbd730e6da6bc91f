import type { AgentEvent } from "../provider.ts";
import { boundedText } from "./bounded-text.ts";
import { addUsage, NOTHING_USED, usageOf, type ReplyUsage } from "../usage.ts";
import type { StreamReader, Trouble } from "./client.ts";
import type { Diary } from "./diary.ts";
import { amount, count, object, text, type Json } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { troubleIn } from "./trouble.ts";

export const STEPS = ".slipway/steps.jsonl";

/** opencode waits for a limit to pass without a word, for hours if need be; this makes it say so. It also writes down what each step took. */
export const PLUGIN = `import { appendFileSync } from "node:fs";
export const Slipway = async () => ({
  event: async ({ event }) => {
    const { status, part } = event.properties ?? {};
    if (event.type === "session.status" && status?.type === "retry") process.stdout.write(JSON.stringify({ ...status, type: "slipway_retry" }) + "\\n");
    if (event.type === "message.part.updated" && part?.type === "step-finish") appendFileSync(process.env.HOME + "/${STEPS}", JSON.stringify(part) + "\\n");
  },
});
`;

/** For when it speaks another protocol than the one that is read here. */
export const opencodeDiary: Diary = {
  folder: ".slipway",
  file: /^steps\.jsonl$/,
  open() {
    const steps = new Map<string, ReplyUsage>();
    return {
      line: (part) => void steps.set(text(part["id"]), usedIn(part)),
      spent: () => ({ usage: [...steps.values()].reduce(addUsage, NOTHING_USED), model: null }),
    };
  },
};

function usedIn(step: Json): ReplyUsage {
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

/** Trouble other than a limit may pass: so often it is waited for. */
const PATIENCE = 3;

/** What our plugin says, worth ending the call for; null for every other line. */
export function opencodeWaits(event: Json, now: number): Trouble | null {
  if (event["type"] !== "slipway_retry") return null;
  const guessed = troubleIn(text(event["message"]), now);
  const next = amount(event["next"]) || null;
  // It backs off from a used-up quota as from anything else; when that is renewed it does not know.
  if (guessed.kind === "quota") return { ...guessed, wakeAt: null };
  if (guessed.kind === "rate_limit") return { ...guessed, wakeAt: next ?? guessed.wakeAt ?? null };
  return count(event["attempt"]) >= PATIENCE ? { kind: "other", message: guessed.message } : null;
}

/** The events of `opencode run --format json`. There is no last one: a step that ends for any other reason than tools is the last. */
export function readOpencode(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  const said = boundedText();
  let usage = NOTHING_USED;
  let complete = false;
  let trouble: Trouble | null = null;

  function stepFinished(part: Json): void {
    const step = usedIn(part);
    // Step by step: what was taken before it was stopped is known as well.
    emit({ kind: "usage", usage: step, model: null });
    usage = addUsage(usage, step);
    const reason = text(part["reason"]);
    if (reason === "tool-calls") return;
    complete = true;
    if (reason === "content-filter") trouble = { kind: "refusal", message: said.value() ?? "" };
    else if (reason === "length") trouble = { kind: "other", message: "the answer was cut off at the model's limit" };
    else if (said.value() === null && step.output_tokens > 0)
      trouble = { kind: "refusal", message: "it ended its turn without a word, which is how it shows a refusal" };
  }

  function toolUsed(part: Json): void {
    const state = object(part["state"]);
    const id = text(part["callID"]);
    tools.begun(id, text(part["tool"]), state["input"]);
    tools.ended(id, text(state["output"]) || text(state["error"]), state["status"] === "completed");
  }

  function failed({ name, data }: Json): void {
    const { message, responseBody, statusCode } = object(data);
    const guessed = troubleIn(`${text(name)} ${String(statusCode ?? "")} ${text(message)} ${text(responseBody)}`, now());
    trouble ??= { ...guessed, message: text(message) || text(name) };
  }

  return {
    line(event) {
      const part = object(event["part"]);
      if (event["type"] === "step_start") said.clear();
      if (event["type"] === "text") {
        said.add(text(part["text"]));
        emit({ kind: "text", text: text(part["text"]) });
      }
      if (event["type"] === "tool_use") toolUsed(part);
      if (event["type"] === "step_finish") stepFinished(part);
      if (event["type"] === "error") failed(object(event["error"]));
      trouble ??= opencodeWaits(event, now());
    },
    result: () => ({ answer: said.value(), complete, usage, model: null, trouble }),
  };
}
