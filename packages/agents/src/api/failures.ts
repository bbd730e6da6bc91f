import { SlipwayError } from "../errors.ts";
import type { ErrorCode, ErrorDetails } from "@slipway/durable/errors";
import { visible } from "@slipway/kernel/paths/paths";
import { APICallError, StreamProviderError } from "ai";
import { isLocal, type ChosenModel } from "./endpoints.ts";
import { wakeAt } from "./wake.ts";

/** The reply of a failed call. */
interface ErrorReply {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly message: string;
}

/** After a limit without a retry time. */
const DEFAULT_WAIT_MS = 60_000;

const QUOTA = /insufficient_quota|credit balance is too low|insufficient credits|billing_error|PerDay|exceeded your current quota/i;
const SHORT_LIMIT = /PerMinute|"retryDelay"/;
const KEY = /API_KEY_INVALID|API key not valid|invalid_api_key|authentication_error/i;
const OVERLOADED = /overloaded|rate_limit|RESOURCE_EXHAUSTED/i;
const CONTEXT =
  /context_length_exceeded|prompt is too long|maximum context length|exceeds the maximum number of tokens|context window|request_too_large/i;
/** A broken stream is not one of these: the next request usually works. */
const UNREACHABLE = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/;
const POLICY = /content_policy|content_filter|flagged|moderation|invalid_prompt/i;

/** Maps every failure of an endpoint to an error code. */
export function failureOf(error: unknown, chosen: ChosenModel, now: number, scrub: (text: string) => string): SlipwayError {
  const reply = readError(error);
  const { endpoint, model } = chosen;
  const name = `${endpoint.name}/${model}`;
  const quoted = reply.message === "" ? "" : `: ${visible(scrub(reply.message))}`;
  const fail = (code: ErrorCode, message: string, next: string, details: ErrorDetails = {}) =>
    new SlipwayError(code, message, {
      provider: "api",
      endpoint: endpoint.name,
      model,
      ...(reply.status === null ? {} : { status: reply.status }),
      ...details,
      suggested_next_actions: [next],
    });
  const all = `${reply.message}\n${reply.body}`;
  const { status } = reply;

  // Error texts about a key may quote the key.
  if (status === 401 || KEY.test(all)) {
    const where =
      endpoint.keyEnv === null ? "It requires a key, and none is configured" : `It does not accept the key in ${endpoint.keyEnv}`;
    const next =
      endpoint.keyEnv === null
        ? `Name its variable in runtime.api.endpoints.${endpoint.name}.key_env.`
        : `Put a valid key into ${endpoint.keyEnv}.`;
    return fail("provider_auth_missing", `${name} refused the sign-in. ${where}.`, next, { variable: endpoint.keyEnv });
  }
  if (status === 402 || (QUOTA.test(all) && !(SHORT_LIMIT.test(all) && !/PerDay/.test(all)))) {
    return fail(
      "quota_exhausted",
      `The quota or credit for ${name} is used up${quoted}.`,
      "Add credit or wait until the quota is renewed, then resume.",
      {
        wake_at: wakeAt(reply, now),
      },
    );
  }
  if (status === 429 || status === 529 || status === 503 || OVERLOADED.test(all)) {
    const wake_at = wakeAt(reply, now) ?? now + DEFAULT_WAIT_MS;
    return fail("rate_limited", `${name} is limiting requests${quoted}.`, "Wait; the run resumes by itself.", { wake_at });
  }
  if (status === 413 || CONTEXT.test(all)) {
    return fail(
      "context_overflow",
      `The request is too long for ${name}${quoted}.`,
      "Choose a model with a larger context, or make the task smaller.",
    );
  }
  if (POLICY.test(all))
    return fail(
      "agent_refused",
      `${name} declined to answer${quoted}.`,
      "Check the request for content that it refuses, or choose another model.",
    );
  if (status === 403 || status === 404) {
    const next = `Check that the model ${visible(model)} exists at ${endpoint.name} and that your key may use it.`;
    return fail("agent_failed", `${name} is not available with this key${quoted}.`, next, { retryable: false, requires_human: true });
  }
  if (status !== null && status >= 400 && status < 500 && status !== 408 && status !== 409) {
    const next = "Read the transcript; this is probably a bug in Slipway, or the endpoint differs from its declared kind.";
    return fail("agent_failed", `${name} did not accept the request (${status})${quoted}.`, next, {
      retryable: false,
      requires_human: true,
    });
  }
  if (status !== null && status >= 500)
    return fail("provider_unavailable", `${name} failed (${status})${quoted}.`, "Try again later, or choose another model.", {
      retryable: true,
    });
  if (status !== null) return fail("agent_failed", `${name} failed (${status})${quoted}.`, "Try again later, or choose another model.");
  const code = UNREACHABLE.test(codesOf(error)) ? "provider_unavailable" : "agent_failed";
  return fail(code, `No complete answer came from ${name} at ${endpoint.baseUrl}${quoted}.`, reachAction(chosen), { retryable: true });
}

function reachAction({ endpoint: { name, baseUrl } }: ChosenModel): string {
  return isLocal(baseUrl) ? `Check that ${name} is running at ${baseUrl}.` : `Check the network and that ${baseUrl} can be reached.`;
}

/** The codes of the error and its causes. */
function codesOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const parts = error instanceof AggregateError ? error.errors.map(codesOf) : [];
  return [(error as NodeJS.ErrnoException).code ?? "", ...parts, codesOf(error.cause)].join(" ");
}

function readError(error: unknown): ErrorReply {
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders = {}, responseBody = "", message } = error;
    return {
      status: statusCode ?? null,
      headers: responseHeaders,
      body: responseBody,
      message: plain(statusCode === undefined ? error : message),
    };
  }
  if (StreamProviderError.isInstance(error)) {
    const { statusCode, type = "", code = "", data, message } = error;
    return { status: statusCode ?? null, headers: {}, body: `${type} ${code} ${JSON.stringify(data ?? null)}`, message };
  }
  return { status: null, headers: {}, body: "", message: plain(error) };
}

/** The innermost cause: "fetch failed" alone is not informative. */
function plain(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : JSON.stringify(error ?? "");
  const { code } = error as { code?: unknown };
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name is not known";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || error.message === "terminated") return "the connection was reset";
  return error.cause instanceof Error ? plain(error.cause) : error.message;
}
