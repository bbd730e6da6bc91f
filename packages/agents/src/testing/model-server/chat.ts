import { openaiFailure, openaiFailureBody } from "./openai-failures.ts";
import type { ModelMessage } from "./script.ts";
import { event, joined, number, parsed, pieces, record, records, string, textOf, type Reply, type Wire } from "./wire.ts";

export const chat: Wire = {
  read(body) {
    const messages = records(body["messages"]);
    const format = record(body["response_format"]);
    const isSystem = ({ role }: Record<string, unknown>) => role === "system" || role === "developer";
    return {
      model: string(body["model"]),
      system: messages
        .filter(isSystem)
        .map(({ content }) => textOf(content))
        .join("\n"),
      messages: joined(messages.filter((message) => !isSystem(message)).map(message)),
      tools: records(body["tools"])
        .map((tool) => record(tool["function"]))
        .map((tool) => ({ name: string(tool["name"]), schema: record(tool["parameters"]), freeform: false, namespace: null })),
      stream: body["stream"] === true,
      schema: format["type"] === "json_schema" ? record(record(format["json_schema"])["schema"]) : null,
      maxTokens: number(body["max_tokens"]) ?? number(body["max_completion_tokens"]),
    };
  },

  whole(reply) {
    const calls = reply.parts.filter((part) => part.kind === "call").map((part) => toolCall(part, JSON.stringify(part.input)));
    const said = (kind: "text" | "refusal") => reply.parts.flatMap((part) => (part.kind === kind ? [part.text] : []))[0] ?? null;
    const message = {
      role: "assistant",
      content: said("text"),
      refusal: said("refusal"),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      ...envelope(reply, "chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
      usage: usage(reply),
    };
  },

  *events(reply) {
    const chunk = (delta: unknown, finish_reason: string | null = null) =>
      event(null, { ...envelope(reply, "chat.completion.chunk"), choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
    yield chunk({ role: "assistant", content: "" });
    let calls = 0;
    for (const part of reply.parts) {
      if (part.kind === "text") for (const content of pieces(part.text)) yield chunk({ content });
      else if (part.kind === "refusal") for (const refusal of pieces(part.text)) yield chunk({ refusal });
      else {
        const index = calls++;
        yield chunk({ tool_calls: [{ index, ...toolCall(part, "") }] });
        for (const piece of pieces(JSON.stringify(part.input))) yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    yield chunk({}, finishReason(reply));
    yield event(null, { ...envelope(reply, "chat.completion.chunk"), choices: [], usage: usage(reply) });
    yield event(null, "[DONE]");
  },

  failure: openaiFailure,

  *failureEvents(kind) {
    yield event(null, openaiFailureBody(kind));
    yield event(null, "[DONE]");
  },
};

function message(raw: Record<string, unknown>): ModelMessage {
  const text = textOf(raw["content"]);
  if (raw["role"] === "tool") {
    const toolResults = [{ id: string(raw["tool_call_id"]), output: text, error: false }];
    return { role: "tool", text: "", toolCalls: [], toolResults };
  }
  const toolCalls = records(raw["tool_calls"]).map((call) => {
    const called = record(call["function"]);
    return { id: string(call["id"]), name: string(called["name"]), input: parsed(string(called["arguments"])) };
  });
  return { role: raw["role"] === "assistant" ? "assistant" : "user", text, toolCalls, toolResults: [] };
}

function toolCall({ id, name }: { id: string; name: string }, json: string) {
  return { id: `call_${id}`, type: "function", function: { name, arguments: json } };
}

function envelope({ id, model }: Reply, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model, system_fingerprint: null };
}

function finishReason({ stop }: Reply): string {
  return { end: "stop", tools: "tool_calls", length: "length", refusal: "stop" }[stop];
}

function usage({ usage: { input, output, cached } }: Reply) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
