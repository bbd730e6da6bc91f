import type { AgentEvent } from "../provider.ts";
import { addUsage, NOTHING_USED, usageBeyond, usageOf } from "../usage.ts";
import type { StreamReader, ClientError } from "./client.ts";
import { amount, contentText, count, object, objects, text, type JsonObject } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { errorIn } from "./error-text.ts";

const ANSWER_TOOL = "StructuredOutput";

const ERRORS: Readonly<Record<string, ClientError["kind"]>> = {
  rate_limit: "rate_limit",
  billing_error: "quota",
  authentication_failed: "auth",
  model_not_found: "model",
};

/** Claude Code's stream-json. An API error has the subtype "success" with is_error, so only is_error counts. */
export function readClaude(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  let model: string | null = null;
  let usage = NOTHING_USED;
  const counted = new Set<string>();
  let answer: string | null = null;
  let complete = false;
  let error: ClientError | null = null;
  /** The last structured answer it tried to return, in case the client gives up. */
  let handedIn: string | null = null;
  let apiError = "";
  let resetsAt: number | null = null;

  function assistant(event: JsonObject): void {
    apiError = text(event["error"]) || apiError;
    const message = object(event["message"]);
    countOnce(message);
    for (const block of objects(message["content"])) {
      if (block["type"] === "text") emit({ kind: "text", text: text(block["text"]) });
      if (block["type"] !== "tool_use") continue;
      if (block["name"] === ANSWER_TOOL) handedIn = JSON.stringify(block["input"]);
      else tools.begun(text(block["id"]), text(block["name"]), block["input"]);
    }
  }

  /** A message comes in several events, each with the usage at its start: the only usage known of a stopped call. */
  function countOnce(message: JsonObject): void {
    const id = text(message["id"]);
    const used = usedIn(object(message["usage"]), 0);
    if (id === "" || counted.has(id) || used.input_tokens + used.output_tokens === 0) return;
    counted.add(id);
    usage = addUsage(usage, used);
    emit({ kind: "usage", usage: used, model: text(message["model"]) || model });
  }

  function result(event: JsonObject): void {
    complete = true;
    // The final sum may lack the last message, if the client rejected its answer.
    const rest = usageBeyond(usedIn(object(event["usage"]), amount(event["total_cost_usd"])), usage);
    usage = addUsage(usage, rest);
    model = busiestModel(object(event["modelUsage"])) ?? model;
    emit({ kind: "usage", usage: rest, model });
    const resultText = text(event["result"]);
    if (event["subtype"] === "error_max_structured_output_retries") answer = handedIn ?? resultText;
    else if (event["is_error"] === true || event["subtype"] !== "success") error = errorOf(event, resultText);
    else answer = event["structured_output"] === undefined ? resultText : JSON.stringify(event["structured_output"]);
  }

  function errorOf(event: JsonObject, resultText: string): ClientError {
    const message = resultText === "" ? text(event["subtype"]) : resultText;
    const guessed = errorIn(message, now());
    const wakeAt = resetsAt ?? guessed.wakeAt ?? null;
    if (event["subtype"] === "error_max_budget_usd") return { kind: "budget", message: "" };
    if (event["stop_reason"] === "refusal") return { kind: "refusal", message };
    if (event["terminal_reason"] === "prompt_too_long") return { kind: "context", message };
    if (resetsAt !== null) return { kind: "quota", message, wakeAt };
    const status = event["api_error_status"];
    if (status === 429 || status === 529 || status === 503)
      return { kind: guessed.kind === "quota" ? "quota" : "rate_limit", message, wakeAt };
    if (typeof status === "number" && status >= 500) return { kind: "outage", message, wakeAt };
    return { kind: ERRORS[apiError] ?? (event["api_error"] === undefined ? guessed.kind : "other"), message, wakeAt };
  }

  return {
    line(event) {
      if (event["type"] === "system" && event["subtype"] === "init") model = text(event["model"]) || null;
      if (event["type"] === "assistant") assistant(event);
      if (event["type"] === "user") {
        for (const block of objects(object(event["message"])["content"])) {
          if (block["type"] === "tool_result")
            tools.ended(text(block["tool_use_id"]), contentText(block["content"]), block["is_error"] !== true);
        }
      }
      // The limit of a subscription, with its end.
      const limit = object(event["rate_limit_info"]);
      if (event["type"] === "rate_limit_event" && limit["status"] === "rejected") resetsAt = amount(limit["resetsAt"]) * 1000 || null;
      if (event["type"] === "result") result(event);
    },
    result: () => ({ answer, complete, usage, model, error }),
  };
}

/** input_tokens excludes cached tokens. */
function usedIn(used: JsonObject, cost_usd: number) {
  const [cached_input_tokens, cache_write_tokens] = [count(used["cache_read_input_tokens"]), count(used["cache_creation_input_tokens"])];
  const input_tokens = count(used["input_tokens"]) + cached_input_tokens + cache_write_tokens;
  return usageOf({ input_tokens, output_tokens: count(used["output_tokens"]), cached_input_tokens, cache_write_tokens, cost_usd });
}

/** Small tasks go to a smaller model; the one with the most output did the work. */
function busiestModel(models: JsonObject): string | null {
  const outputs = Object.entries(models).map(([name, used]) => ({ name, tokens: count(object(used)["outputTokens"]) }));
  return outputs.toSorted((left, right) => right.tokens - left.tokens)[0]?.name ?? null;
}
