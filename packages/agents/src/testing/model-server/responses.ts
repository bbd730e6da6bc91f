import { openaiFailure, openaiFailureBody } from "./openai-failures.ts";
import { responseItem, textPart } from "./responses-items.ts";
import type { ModelMessage, ModelTool } from "./script.ts";
import { event, joined, number, parsed, pieces, record, records, string, textOf, type Reply, type Wire } from "./wire.ts";

export const responses: Wire = {
  read(body) {
    const input = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : records(body["input"]);
    const isSystem = ({ role }: Record<string, unknown>) => role === "system" || role === "developer";
    const format = record(record(body["text"])["format"]);
    return {
      model: string(body["model"]),
      system: [string(body["instructions"]), ...input.filter(isSystem).map(({ content }) => textOf(content))].filter(Boolean).join("\n"),
      messages: joined(input.filter((item) => !isSystem(item)).flatMap(message)),
      tools: records(body["tools"]).flatMap((tool) => tools(tool, null)),
      stream: body["stream"] === true,
      schema: format["type"] === "json_schema" ? record(format["schema"]) : null,
      maxTokens: number(body["max_output_tokens"]),
    };
  },

  whole(reply) {
    return envelope(
      reply,
      reply.stop === "length" ? "incomplete" : "completed",
      reply.parts.map((part, index) => responseItem(reply, part, index)),
    );
  },

  *events(reply) {
    let sequence_number = 0;
    const send = (type: string, data: object) => event(type, { type, sequence_number: sequence_number++, ...data });
    yield send("response.created", { response: envelope(reply, "in_progress", []) });
    yield send("response.in_progress", { response: envelope(reply, "in_progress", []) });
    for (const [output_index, part] of reply.parts.entries()) {
      const item = responseItem(reply, part, output_index);
      const place = { item_id: item.id, output_index };
      if (part.kind === "call") {
        const field = part.freeform ? "input" : "arguments";
        const whole = part.freeform ? item.input : item.arguments;
        const name = part.freeform ? "response.custom_tool_call_input" : "response.function_call_arguments";
        yield send("response.output_item.added", { output_index, item: { ...item, [field]: "", status: "in_progress" } });
        for (const delta of pieces(whole ?? "")) yield send(`${name}.delta`, { ...place, delta });
        yield send(`${name}.done`, { ...place, [field]: whole });
      } else {
        const spot = { ...place, content_index: 0 };
        const name = part.kind === "text" ? "response.output_text" : "response.refusal";
        const done = part.kind === "text" ? { text: part.text, logprobs: [] } : { refusal: part.text };
        yield send("response.output_item.added", { output_index, item: { ...item, content: [], status: "in_progress" } });
        yield send("response.content_part.added", { ...spot, part: textPart(part, "") });
        for (const delta of pieces(part.text))
          yield send(`${name}.delta`, { ...spot, delta, ...(part.kind === "text" ? { logprobs: [] } : {}) });
        yield send(`${name}.done`, { ...spot, ...done });
        yield send("response.content_part.done", { ...spot, part: textPart(part, part.text) });
      }
      yield send("response.output_item.done", { output_index, item });
    }
    yield send(reply.stop === "length" ? "response.incomplete" : "response.completed", { response: this.whole(reply) });
  },

  failure: openaiFailure,

  *failureEvents(kind, model) {
    const { error } = openaiFailureBody(kind);
    const usage = { input: 0, output: 0, cached: 0, cacheWritten: 0 };
    const failed = envelope({ id: "failed", model, parts: [], stop: "end", usage }, "failed", []);
    const response = { ...failed, usage: null, error: { code: error.code ?? error.type, message: error.message } };
    yield event("response.created", { type: "response.created", sequence_number: 0, response: { ...failed, status: "in_progress" } });
    yield event("response.failed", { type: "response.failed", sequence_number: 1, response });
  },
};

function message(item: Record<string, unknown>): ModelMessage[] {
  const type = string(item["type"]);
  const nothing = { text: "", toolCalls: [], toolResults: [] };
  const id = string(item["call_id"]);
  if (type === "function_call" || type === "custom_tool_call") {
    const input = type === "function_call" ? parsed(string(item["arguments"])) : item["input"];
    return [{ ...nothing, role: "assistant", toolCalls: [{ id, name: string(item["name"]), input }] }];
  }
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    return [{ ...nothing, role: "tool", toolResults: [{ id, output: textOf(item["output"]), error: false }] }];
  }
  if (type !== "message" && type !== "") return [];
  return [{ ...nothing, role: item["role"] === "assistant" ? "assistant" : "user", text: textOf(item["content"]) }];
}

function tools(tool: Record<string, unknown>, namespace: string | null): ModelTool[] {
  const name = string(tool["name"]);
  if (tool["type"] === "namespace") return records(tool["tools"]).flatMap((inner) => tools(inner, name));
  if (tool["type"] !== "function" && tool["type"] !== "custom") return [];
  return [{ name, schema: record(tool["parameters"]), freeform: tool["type"] === "custom", namespace }];
}

function envelope({ id, model, usage: { input, output, cached }, stop }: Reply, status: string, items: readonly unknown[]) {
  const ended = status === "completed" || status === "incomplete";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: ended && stop === "length" ? { reason: "max_output_tokens" } : null,
    model,
    output: items,
    parallel_tool_calls: true,
    usage: ended
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + output,
        }
      : null,
  };
}
