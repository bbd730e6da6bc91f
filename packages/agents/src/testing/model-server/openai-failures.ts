import type { FailureKind } from "./script.ts";
import type { HttpFailure } from "./wire.ts";

const FAILURES: Record<FailureKind, readonly [status: number, type: string, code: string | null, message: string]> = {
  rate_limit: [429, "requests", "rate_limit_exceeded", "Rate limit reached for requests per minute. Please try again in 20s."],
  quota: [429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."],
  auth: [401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."],
  overloaded: [503, "server_error", "server_is_overloaded", "The server is overloaded. Please try again later."],
  context: [400, "invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens."],
  server: [500, "server_error", null, "The server had an error while processing your request."],
  bad_request: [400, "invalid_request_error", "invalid_value", "Invalid value in the request."],
  unknown_model: [
    404,
    "invalid_request_error",
    "model_not_found",
    "The model `no-such-model` does not exist or you do not have access to it.",
  ],
};

export function openaiFailure(kind: FailureKind, retryAfterSeconds: number | null): HttpFailure {
  const headers: Record<string, string> = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
  return { status: FAILURES[kind][0], headers, body: openaiFailureBody(kind) };
}

export function openaiFailureBody(kind: FailureKind) {
  const [, type, code, message] = FAILURES[kind];
  return { error: { message, type, param: null, code } };
}
