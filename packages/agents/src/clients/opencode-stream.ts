import type { AgentEvent } from "../provider.ts";
import { boundedText } from "./bounded-text.ts";
import { NOTHING_USED, type StreamReader, type Trouble } from "./client.ts";
import { amount, count, object, text, type Json } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { troubleIn } from "./trouble.ts";

/** opencode waits for a limit to pass without a word, for hours if need be; this makes it say so. */
export const RETRY_PLUGIN = `export const Slipway = async () => ({
  event: async ({ event }) => {
    const status = event.properties?.status;
    if (event.type === "session.status" && status?.type === "retry") process.stdout.write(JSON.stringify({ type: "slipway_retry", ...status, type: "slipway_retry" }) + "\\n");
  },
});
`;

/** Trouble other than a limit may pass: so often it is waited for. */
const PATIENCE = 3;

/** The events of `opencode run --format json`. There is no last one: a step that ends for any other reason than tools is the last. */
export function readOpencode(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  const said = boundedText();
  let usage = NOTHING_USED;
  let complete = false;
  let trouble: Trouble | null = null;

  function stepFinished(part: Json): void {
    const tokens = object(part["tokens"]);
    const cache = object(tokens["cache"]);
    const step = {
      input_tokens: count(tokens["input"]) + count(cache["read"]) + count(cache["write"]),
      output_tokens: count(tokens["output"]) + count(tokens["reasoning"]),
      cost_usd: amount(part["cost"]),
    };
    // Step by step: what was taken before it was stopped is known as well.
    emit({ kind: "usage", usage: step, model: null });
    usage = {
      input_tokens: usage.input_tokens + step.input_tokens,
      output_tokens: usage.output_tokens + step.output_tokens,
      cost_usd: usage.cost_usd + step.cost_usd,
    };
    const reason = text(part["reason"]);
    if (reason === "tool-calls") return;
    complete = true;
    if (reason === "content-filter") trouble = { kind: "refusal", message: said.value() ?? "" };
    else if (reason === "length") trouble = { kind: "other", message: "the answer was cut off at the model's limit" };
    else if (said.value() === null && count(tokens["output"]) > 0)
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

  function waits(event: Json): void {
    const guessed = troubleIn(text(event["message"]), now());
    const next = amount(event["next"]) || null;
    const limited = guessed.kind === "rate_limit" || guessed.kind === "quota";
    // It backs off from a used-up quota as from anything else; when that is renewed it does not know.
    if (limited) trouble ??= { ...guessed, wakeAt: guessed.kind === "quota" ? null : (next ?? guessed.wakeAt ?? null) };
    else if (count(event["attempt"]) >= PATIENCE) trouble ??= { kind: "other", message: guessed.message };
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
      if (event["type"] === "slipway_retry") waits(event);
    },
    result: () => ({ answer: said.value(), complete, usage, model: null, trouble }),
  };
}
