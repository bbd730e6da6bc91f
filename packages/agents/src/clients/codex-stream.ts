import type { AgentEvent } from "../provider.ts";
import { NOTHING_USED, usageBeyond, usageOf, type ReplyUsage } from "../usage.ts";
import type { StreamReader, ClientError } from "./client.ts";
import type { UsageLog } from "./usage-log.ts";
import { count, object, text, type JsonObject } from "./json.ts";
import { toolsSeen } from "./tools-seen.ts";
import { errorIn } from "./error-text.ts";

const TOOLS = new Set(["command_execution", "file_change", "mcp_tool_call", "web_search"]);

/** Events of `codex exec --json`. Transient problems are reported as errors too, so only the end of the turn counts. */
export function readCodex(emit: (event: AgentEvent) => void, now: () => number): StreamReader {
  const tools = toolsSeen(emit, now);
  let usage = NOTHING_USED;
  let answer: string | null = null;
  let complete = false;
  let error: ClientError | null = null;

  function itemCompleted(item: JsonObject): void {
    const type = text(item["type"]);
    if (type === "agent_message") {
      answer = text(item["text"]);
      emit({ kind: "text", text: answer });
    }
    if (!TOOLS.has(type)) return;
    const id = text(item["id"]);
    // Short items are reported only when they end.
    tools.begunUnlessKnown(id, type, inputOf(item));
    tools.ended(id, outputOf(item), item["status"] === "completed" && (item["exit_code"] ?? 0) === 0);
  }

  return {
    line(event) {
      const item = object(event["item"]);
      if (event["type"] === "item.started" && TOOLS.has(text(item["type"])))
        tools.begun(text(item["id"]), text(item["type"]), inputOf(item));
      if (event["type"] === "item.completed") itemCompleted(item);
      if (event["type"] === "turn.failed") error = errorIn(text(object(event["error"])["message"]), now());
      if (event["type"] !== "turn.completed") return;
      complete = true;
      usage = usedIn(object(event["usage"]));
      emit({ kind: "usage", usage, model: null });
      if (answer === null && usage.output_tokens > 0)
        error = { kind: "refusal", message: "it ended its turn without text, which indicates a refusal" };
    },
    result: () => ({ answer, complete, usage, model: null, error }),
  };
}

/** Without a price: it comes from the table. */
function usedIn(used: JsonObject): ReplyUsage {
  return usageOf({
    input_tokens: count(used["input_tokens"]),
    output_tokens: count(used["output_tokens"]),
    cached_input_tokens: count(used["cached_input_tokens"]),
    cache_write_tokens: count(used["cache_write_input_tokens"]),
    cost_usd: 0,
  });
}

/** Logs its model at the beginning of each turn, and the running total after every answer, some twice. */
export const codexUsageLog: UsageLog = {
  folder: ".codex/sessions",
  file: /^rollout-.*\.jsonl$/,
  open() {
    const requests: ReplyUsage[] = [];
    let total = NOTHING_USED;
    let model: string | null = null;
    return {
      line({ type, payload }) {
        const { type: kind, info, model: named } = object(payload);
        if (type === "turn_context") model = text(named) || model;
        if (kind !== "token_count") return;
        const sum = usedIn(object(object(info)["total_token_usage"]));
        const request = usageBeyond(sum, total);
        if (request.input_tokens + request.output_tokens > 0) requests.push(request);
        total = sum;
      },
      spent: () => ({ requests, model }),
    };
  },
};

function inputOf(item: JsonObject): unknown {
  if (item["type"] === "command_execution") return item["command"];
  return item["type"] === "file_change" ? item["changes"] : (item["arguments"] ?? item["query"] ?? null);
}

function outputOf(item: JsonObject): string {
  if (item["type"] === "command_execution") return text(item["aggregated_output"]);
  const { result, error } = item as { result?: unknown; error?: unknown };
  return result === undefined && error === undefined ? "" : JSON.stringify(error ?? result);
}
