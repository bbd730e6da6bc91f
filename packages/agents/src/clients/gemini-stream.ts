import type { AgentEvent } from "../provider.ts";
import { NOTHING_USED, usageOf, type ReplyUsage } from "../usage.ts";
import type { StreamReader, ClientError } from "./client.ts";
import type { UsageLog } from "./usage-log.ts";
import { boundedText } from "./bounded-text.ts";
import { count, object, text, type JsonObject } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { errorIn } from "./error-text.ts";

/** Gemini CLI's stream-json: the answer comes in pieces, and text before a tool call is not part of it. */
export function readGemini(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  const answerText = boundedText();
  let model: string | null = null;
  let usage = NOTHING_USED;
  let complete = false;
  let error: ClientError | null = null;

  function result(event: JsonObject): void {
    const stats = object(event["stats"]);
    usage = used(count(stats["input_tokens"]), count(stats["output_tokens"]), count(stats["cached"]));
    // The requested name may be an alias of another model.
    model = Object.keys(object(stats["models"]))[0] ?? model;
    emit({ kind: "usage", usage, model });
    if (event["status"] === "success") complete = true;
    else error = errorIn(text(object(event["error"])["message"]), now());
  }

  return {
    line(event) {
      if (event["type"] === "init") model = text(event["model"]) || null;
      if (event["type"] === "message" && event["role"] === "assistant") {
        answerText.add(text(event["content"]));
        emit({ kind: "text", text: text(event["content"]) });
      }
      if (event["type"] === "tool_use") {
        answerText.clear();
        tools.begun(text(event["tool_id"]), text(event["tool_name"]), event["parameters"]);
      }
      if (event["type"] === "tool_result") {
        const output = text(event["output"]) || text(object(event["error"])["message"]);
        tools.ended(text(event["tool_id"]), output, event["status"] === "success");
      }
      if (event["type"] === "result") result(event);
    },
    result: () => ({ answer: answerText.value(), complete, usage, model, error }),
  };
}

function used(input_tokens: number, output_tokens: number, cached_input_tokens: number): ReplyUsage {
  return usageOf({ input_tokens, output_tokens, cached_input_tokens, cache_write_tokens: 0, cost_usd: 0 });
}

/** Every message of its model, some repeated. */
export const geminiUsageLog: UsageLog = {
  folder: ".gemini/tmp",
  file: /^session-.*\.jsonl$/,
  open() {
    const messages = new Map<string, ReplyUsage>();
    let model: string | null = null;
    return {
      line(entry) {
        if (entry["type"] !== "gemini") return;
        const tokens = object(entry["tokens"]);
        const output = count(tokens["output"]) + count(tokens["thoughts"]);
        messages.set(text(entry["id"]), used(count(tokens["input"]), output, count(tokens["cached"])));
        model = text(entry["model"]) || model;
      },
      spent: () => ({ requests: [...messages.values()], model }),
    };
  },
};
