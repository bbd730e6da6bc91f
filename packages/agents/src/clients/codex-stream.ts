import type { AgentEvent } from "../provider.ts";
import { NOTHING_USED, type StreamReader, type Trouble } from "./client.ts";
import { count, object, text, type Json } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { troubleIn } from "./trouble.ts";

const TOOLS = new Set(["command_execution", "file_change", "mcp_tool_call", "web_search"]);

/** The events of `codex exec --json`. What is under way is told as an error as well, so only the end of the turn is believed. */
export function readCodex(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  let usage = NOTHING_USED;
  let answer: string | null = null;
  let complete = false;
  let trouble: Trouble | null = null;

  function itemCompleted(item: Json): void {
    const type = text(item["type"]);
    if (type === "agent_message") {
      answer = text(item["text"]);
      emit({ kind: "text", text: answer });
    }
    if (!TOOLS.has(type)) return;
    const id = text(item["id"]);
    // What is over at once is told only when it is over.
    tools.begunUnlessKnown(id, type, inputOf(item));
    tools.ended(id, outputOf(item), item["status"] === "completed" && (item["exit_code"] ?? 0) === 0);
  }

  return {
    line(event) {
      const item = object(event["item"]);
      if (event["type"] === "item.started" && TOOLS.has(text(item["type"])))
        tools.begun(text(item["id"]), text(item["type"]), inputOf(item));
      if (event["type"] === "item.completed") itemCompleted(item);
      if (event["type"] === "turn.failed") trouble = troubleIn(text(object(event["error"])["message"]), now());
      if (event["type"] !== "turn.completed") return;
      complete = true;
      const used = object(event["usage"]);
      // No price: that comes from the table.
      usage = { input_tokens: count(used["input_tokens"]), output_tokens: count(used["output_tokens"]), cost_usd: 0 };
      emit({ kind: "usage", usage, model: null });
      if (answer === null && usage.output_tokens > 0)
        trouble = { kind: "refusal", message: "it ended its turn without a word, which is how it shows a refusal" };
    },
    result: () => ({ answer, complete, usage, model: null, trouble }),
  };
}

function inputOf(item: Json): unknown {
  if (item["type"] === "command_execution") return item["command"];
  return item["type"] === "file_change" ? item["changes"] : (item["arguments"] ?? item["query"] ?? null);
}

function outputOf(item: Json): string {
  if (item["type"] === "command_execution") return text(item["aggregated_output"]);
  const { result, error } = item as { result?: unknown; error?: unknown };
  return result === undefined && error === undefined ? "" : JSON.stringify(error ?? result);
}
