import type { AgentEvent } from "../provider.ts";
import { addUsage, NOTHING_USED, usageBeyond, usageOf } from "../usage.ts";
import type { StreamReader, Trouble } from "./client.ts";
import { amount, contentText, count, object, objects, text, type Json } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { troubleIn } from "./trouble.ts";

const ANSWER_TOOL = "StructuredOutput";

const ERRORS: Readonly<Record<string, Trouble["kind"]>> = {
  rate_limit: "rate_limit",
  billing_error: "quota",
  authentication_failed: "auth",
  model_not_found: "model",
};

/** Claude Code's stream-json. An error of the API is a "success" with is_error, so only what is_error says is believed. */
export function readClaude(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  let model: string | null = null;
  let usage = NOTHING_USED;
  const counted = new Set<string>();
  let answer: string | null = null;
  let complete = false;
  let trouble: Trouble | null = null;
  /** What it last tried to hand in, for when the client gives up on it. */
  let handedIn: string | null = null;
  let error = "";
  let resetsAt: number | null = null;

  function assistant(event: Json): void {
    error = text(event["error"]) || error;
    const message = object(event["message"]);
    countOnce(message);
    for (const block of objects(message["content"])) {
      if (block["type"] === "text") emit({ kind: "text", text: text(block["text"]) });
      if (block["type"] !== "tool_use") continue;
      if (block["name"] === ANSWER_TOOL) handedIn = JSON.stringify(block["input"]);
      else tools.begun(text(block["id"]), text(block["name"]), block["input"]);
    }
  }

  /** A message comes in several events, all with what it took when it began: all that is known of a call that is stopped. */
  function countOnce(message: Json): void {
    const id = text(message["id"]);
    const used = usedIn(object(message["usage"]), 0);
    if (id === "" || counted.has(id) || used.input_tokens + used.output_tokens === 0) return;
    counted.add(id);
    usage = addUsage(usage, used);
    emit({ kind: "usage", usage: used, model: text(message["model"]) || model });
  }

  function result(event: Json): void {
    complete = true;
    // Its sum may leave out the last message, of which it did not like the answer.
    const rest = usageBeyond(usedIn(object(event["usage"]), amount(event["total_cost_usd"])), usage);
    usage = addUsage(usage, rest);
    model = busiestModel(object(event["modelUsage"])) ?? model;
    emit({ kind: "usage", usage: rest, model });
    const said = text(event["result"]);
    if (event["subtype"] === "error_max_structured_output_retries") answer = handedIn ?? said;
    else if (event["is_error"] === true || event["subtype"] !== "success") trouble = troubleOf(event, said);
    else answer = event["structured_output"] === undefined ? said : JSON.stringify(event["structured_output"]);
  }

  function troubleOf(event: Json, said: string): Trouble {
    const message = said === "" ? text(event["subtype"]) : said;
    const guessed = troubleIn(message, now());
    const wakeAt = resetsAt ?? guessed.wakeAt ?? null;
    if (event["subtype"] === "error_max_budget_usd") return { kind: "budget", message: "" };
    if (event["stop_reason"] === "refusal") return { kind: "refusal", message };
    if (event["terminal_reason"] === "prompt_too_long") return { kind: "context", message };
    if (resetsAt !== null) return { kind: "quota", message, wakeAt };
    const status = event["api_error_status"];
    if (status === 429 || status === 529 || status === 503)
      return { kind: guessed.kind === "quota" ? "quota" : "rate_limit", message, wakeAt };
    return { kind: ERRORS[error] ?? (event["api_error"] === undefined ? guessed.kind : "other"), message, wakeAt };
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
      // The limit of a subscription, with the time at which it ends.
      const limit = object(event["rate_limit_info"]);
      if (event["type"] === "rate_limit_event" && limit["status"] === "rejected") resetsAt = amount(limit["resetsAt"]) * 1000 || null;
      if (event["type"] === "result") result(event);
    },
    result: () => ({ answer, complete, usage, model, trouble }),
  };
}

/** Its input_tokens are those that went through no cache. */
function usedIn(used: Json, cost_usd: number) {
  const [cached_input_tokens, cache_write_tokens] = [count(used["cache_read_input_tokens"]), count(used["cache_creation_input_tokens"])];
  const input_tokens = count(used["input_tokens"]) + cached_input_tokens + cache_write_tokens;
  return usageOf({ input_tokens, output_tokens: count(used["output_tokens"]), cached_input_tokens, cache_write_tokens, cost_usd });
}

/** Small errands go to a smaller model; the one that said most did the work. */
function busiestModel(models: Json): string | null {
  const said = Object.entries(models).map(([name, used]) => ({ name, tokens: count(object(used)["outputTokens"]) }));
  return said.toSorted((left, right) => right.tokens - left.tokens)[0]?.name ?? null;
}
