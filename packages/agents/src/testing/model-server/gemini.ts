import type { FailureKind, ModelMessage } from "./script.ts";
import { event, number, pieces, record, records, string, textOf, type Reply, type ReplyPart, type Wire } from "./wire.ts";

export const gemini: Wire = {
  read(body, path) {
    const config = record(body["generationConfig"]);
    const schema = config["responseJsonSchema"] ?? config["responseSchema"];
    return {
      model: /models\/([^/:]+):/.exec(path)?.[1] ?? "",
      system: textOf(record(body["systemInstruction"] ?? body["system_instruction"])["parts"]),
      messages: records(body["contents"]).map(message),
      tools: records(body["tools"])
        .flatMap((tool) => records(tool["functionDeclarations"]))
        .map((tool) => ({
          name: string(tool["name"]),
          schema: record(tool["parametersJsonSchema"] ?? tool["parameters"]),
          freeform: false,
          namespace: null,
        })),
      stream: path.includes(":streamGenerateContent"),
      schema: schema === undefined ? null : record(schema),
      maxTokens: number(config["maxOutputTokens"]),
    };
  },

  whole(reply) {
    return chunk(reply, reply.parts.flatMap(allOf), true);
  },

  *events(reply) {
    const all = reply.parts.flatMap((part) => [...partsOf(part)]);
    if (all.length === 0) yield event(null, chunk(reply, [], true));
    for (const [index, part] of all.entries()) yield event(null, chunk(reply, [part], index === all.length - 1));
  },

  failure(kind, retryAfterSeconds) {
    const [status] = FAILURES[kind];
    return { status, headers: {}, body: errorBody(kind, retryAfterSeconds) };
  },

  *failureEvents(kind) {
    yield event(null, errorBody(kind, null));
  },
};

const FAILURES: Record<FailureKind, readonly [status: number, name: string, message: string]> = {
  rate_limit: [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  quota: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
  auth: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  context: [400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  server: [500, "INTERNAL", "An internal error has occurred. Please retry."],
  bad_request: [400, "INVALID_ARGUMENT", "Request contains an invalid argument."],
  unknown_model: [404, "NOT_FOUND", "models/no-such-model is not found for API version v1beta, or is not supported for generateContent."],
};

const TYPE = "type.googleapis.com/google.rpc";

function errorBody(kind: FailureKind, retryAfterSeconds: number | null) {
  const [code, status, message] = FAILURES[kind];
  const perDay = { quotaMetric: "generate_requests", quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "50" };
  const details = [
    ...(kind === "auth" ? [{ "@type": `${TYPE}.ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" }] : []),
    ...(kind === "quota" ? [{ "@type": `${TYPE}.QuotaFailure`, violations: [perDay] }] : []),
    ...(retryAfterSeconds === null ? [] : [{ "@type": `${TYPE}.RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
  ];
  return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

function message(raw: Record<string, unknown>): ModelMessage {
  const parts = records(raw["parts"]);
  const calls = parts.map(({ functionCall }) => record(functionCall)).filter(({ name }) => name !== undefined);
  const results = parts.map(({ functionResponse }) => record(functionResponse)).filter(({ name }) => name !== undefined);
  const toolCalls = calls.map(({ id, name, args }) => ({ id: string(id), name: string(name), input: args ?? {} }));
  const toolResults = results.map(({ id, name, response }) => {
    const { output, content, result, error } = record(response);
    const shown = error ?? output ?? content ?? result ?? response;
    return {
      id: string(id) || string(name),
      output: typeof shown === "string" ? shown : JSON.stringify(shown),
      error: error !== undefined,
    };
  });
  const role = raw["role"] === "model" ? "assistant" : results.length > 0 ? "tool" : "user";
  return { role, text: textOf(parts), toolCalls, toolResults };
}

function chunk(reply: Reply, parts: readonly unknown[], last: boolean) {
  const content = { role: "model", parts };
  const finishReason = { end: "STOP", tools: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" }[reply.stop];
  return {
    candidates: [{ content, ...(last ? { finishReason } : {}), index: 0 }],
    usageMetadata: {
      promptTokenCount: reply.usage.input,
      cachedContentTokenCount: reply.usage.cached,
      candidatesTokenCount: reply.usage.output,
      totalTokenCount: reply.usage.input + reply.usage.output,
    },
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

function allOf(part: ReplyPart): object[] {
  return part.kind === "call" ? [...partsOf(part)] : [{ text: part.text }];
}

function* partsOf(part: ReplyPart): Iterable<object> {
  if (part.kind === "call") yield { functionCall: { id: part.id, name: part.name, args: part.input }, thoughtSignature: "c2NyaXB0ZWQ=" };
  else for (const text of pieces(part.text)) yield { text };
}
