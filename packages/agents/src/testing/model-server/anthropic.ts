import type { FailureKind, ModelMessage } from "./script.ts";
import { event, number, pieces, record, records, string, textOf, type HttpFailure, type Reply, type ReplyPart, type Wire } from "./wire.ts";

export const anthropic: Wire = {
  read(body) {
    const format = record(record(body["output_config"])["format"] ?? body["output_format"]);
    return {
      model: string(body["model"]),
      system: textOf(body["system"]),
      messages: records(body["messages"]).map(message),
      tools: records(body["tools"])
        .filter(({ name }) => typeof name === "string")
        .map((tool) => ({ name: string(tool["name"]), schema: record(tool["input_schema"]), freeform: false, namespace: null })),
      stream: body["stream"] === true,
      schema: format["type"] === "json_schema" ? record(format["schema"]) : null,
      maxTokens: number(body["max_tokens"]),
    };
  },

  whole(reply) {
    return { ...envelope(reply), content: reply.parts.map(block), stop_reason: stopReason(reply), usage: usage(reply, true) };
  },

  *events(reply) {
    const message = { ...envelope(reply), content: [], stop_reason: null, usage: { ...usage(reply, true), output_tokens: 1 } };
    yield event("message_start", { type: "message_start", message });
    yield event("ping", { type: "ping" });
    for (const [index, part] of reply.parts.entries()) {
      const empty = part.kind === "call" ? { ...block(part), input: {} } : { type: "text", text: "" };
      yield event("content_block_start", { type: "content_block_start", index, content_block: empty });
      for (const delta of deltas(part)) yield event("content_block_delta", { type: "content_block_delta", index, delta });
      yield event("content_block_stop", { type: "content_block_stop", index });
    }
    const delta = { stop_reason: stopReason(reply), stop_sequence: null };
    yield event("message_delta", { type: "message_delta", delta, usage: usage(reply, true) });
    yield event("message_stop", { type: "message_stop" });
  },

  failure(kind, retryAfterSeconds) {
    const [status, type, message] = FAILURES[kind];
    const headers: Record<string, string> = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
    return { status, headers, body: errorBody(type, message) } satisfies HttpFailure;
  },

  *failureEvents(kind, model) {
    const [, type, message] = FAILURES[kind];
    const reply: Reply = { id: "failed", model, parts: [], stop: "end", usage: { input: 0, output: 0, cached: 0, cacheWritten: 0 } };
    yield event("message_start", {
      type: "message_start",
      message: { ...envelope(reply), content: [], stop_reason: null, usage: usage(reply, true) },
    });
    yield event("error", errorBody(type, message));
  },
};

const FAILURES: Record<FailureKind, readonly [status: number, type: string, message: string]> = {
  rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
  quota: [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."],
  auth: [401, "authentication_error", "invalid x-api-key"],
  overloaded: [529, "overloaded_error", "Overloaded"],
  context: [400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"],
  server: [500, "api_error", "Internal server error"],
  bad_request: [400, "invalid_request_error", "messages: at least one message is required"],
  unknown_model: [404, "not_found_error", "model: no-such-model"],
};

function errorBody(type: string, message: string) {
  return { type: "error", error: { type, message }, request_id: "req_scripted" };
}

function message(raw: Record<string, unknown>): ModelMessage {
  const blocks = typeof raw["content"] === "string" ? [{ type: "text", text: raw["content"] }] : records(raw["content"]);
  const of = (type: string) => blocks.filter((block) => block["type"] === type);
  const toolResults = of("tool_result").map((result) => ({
    id: string(result["tool_use_id"]),
    output: textOf(result["content"]),
    error: result["is_error"] === true,
  }));
  const toolCalls = of("tool_use").map((call) => ({ id: string(call["id"]), name: string(call["name"]), input: call["input"] }));
  const role = raw["role"] === "assistant" ? "assistant" : toolResults.length > 0 ? "tool" : "user";
  return { role, text: textOf(of("text")), toolCalls, toolResults };
}

function envelope({ id, model }: Reply) {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function block(part: ReplyPart) {
  if (part.kind !== "call") return { type: "text", text: part.text };
  return { type: "tool_use", id: `toolu_${part.id}`, name: part.name, input: part.input };
}

function* deltas(part: ReplyPart) {
  if (part.kind !== "call") for (const text of pieces(part.text)) yield { type: "text_delta", text };
  else for (const partial_json of pieces(JSON.stringify(part.input))) yield { type: "input_json_delta", partial_json };
}

function stopReason({ stop }: Reply): string {
  return { end: "end_turn", tools: "tool_use", length: "max_tokens", refusal: "refusal" }[stop];
}

function usage({ usage: { input, output, cached, cacheWritten } }: Reply, all: boolean) {
  return {
    input_tokens: input - cached - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(all ? { service_tier: "standard" } : {}),
  };
}
