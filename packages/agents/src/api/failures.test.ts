import { afterEach, describe, expect, test } from "vitest";
import { startModelServer, type ModelServer } from "../testing/model-server/server.ts";
import type { FailureKind, ScriptedAnswer, WireName } from "../testing/model-server/script.ts";
import { NEVER, refusalOf, REQUEST } from "../testing/samples.ts";
import { apiProvider } from "./provider.ts";
import { endpointAt, KEY, WIRES } from "./testing/endpoints.ts";

const NOW = 1_800_000_000_000;
let server: ModelServer | null = null;
afterEach(() => server?.close());

async function failureFrom(wire: WireName, answer: ScriptedAnswer) {
  server = await startModelServer(() => answer);
  const { endpoint, model } = endpointAt(server, wire);
  const provider = apiProvider({ endpoints: [endpoint], env: { SCRIPTED_KEY: KEY }, priceOf: () => 0, now: () => NOW });
  const error = await refusalOf(() => provider.invoke({ ...REQUEST, model }, NEVER));
  expect(JSON.stringify([error.message, error.details])).not.toContain(KEY);
  expect(error.details.suggested_next_actions.length).toBeGreaterThan(0);
  return { code: error.code, ...error.details, message: error.message };
}

const EXPECTED: Record<FailureKind, Record<string, unknown>> = {
  rate_limit: { code: "rate_limited", retryable: true, wake_at: expect.any(Number) },
  overloaded: { code: "rate_limited", retryable: true, wake_at: NOW + 60_000 },
  quota: { code: "quota_exhausted", retryable: true, wake_at: null },
  auth: { code: "provider_auth_missing", requires_human: true, variable: "SCRIPTED_KEY" },
  context: { code: "context_overflow", requires_human: true },
  server: { code: "provider_unavailable", retryable: true, status: 500 },
  bad_request: { code: "agent_failed", retryable: false, status: 400 },
  unknown_model: { code: "agent_failed", retryable: false, requires_human: true, status: 404 },
};

describe.each(WIRES)("in the $wire format", ({ wire }) => {
  test.each(Object.entries(EXPECTED) as [FailureKind, object][])("%s", async (failure, expected) => {
    expect(await failureFrom(wire, { failure })).toMatchObject(expected);
  });

  test("a limit with a wait time has its end time", async () => {
    expect(await failureFrom(wire, { failure: "rate_limit", retryAfterSeconds: 42 })).toMatchObject({
      code: "rate_limited",
      wake_at: NOW + 42_000,
    });
  });

  test("an error in the stream has a code as well", async () => {
    expect(await failureFrom(wire, { failure: "overloaded", inStream: true })).toMatchObject({ code: "rate_limited" });
    await server?.close();
    const code = wire === "chat" ? "agent_failed" : "provider_unavailable";
    expect(await failureFrom(wire, { failure: "server", inStream: true })).toMatchObject({ code });
  });

  test("an answer cut off at the model's limit is no answer", async () => {
    expect(await failureFrom(wire, { text: '{"verdict":', stop: "length" })).toMatchObject({ code: "agent_failed", retryable: false });
  });

  test.each([0, 300, 900, 1500])(
    "a stream that ends normally after %i bytes, in the middle of the answer, is no answer",
    async (endAfter) => {
      const text = `{"verdict":"yes"}${" ".repeat(3000)}`;
      expect(await failureFrom(wire, { text, endAfter })).toMatchObject({ code: "agent_failed", retryable: true });
    },
  );

  test("a response that is not a model's stream", async () => {
    expect(await failureFrom(wire, { error: 200, body: "<html>Welcome</html>" })).toMatchObject({ code: "agent_failed" });
  });
});

test.each<[string, ScriptedAnswer, Record<string, unknown>]>([
  ["402", { error: 402, body: { error: { message: "Insufficient credits", code: 402 } } }, { code: "quota_exhausted" }],
  ["moderation", { error: 403, body: { error: { message: "Your input was flagged", code: 403 } } }, { code: "agent_refused" }],
  ["no access", { error: 403, body: { error: { message: "no", code: 403 } } }, { code: "agent_failed", requires_human: true }],
  ["an echoed key", { error: 500, body: { error: { message: `key ${KEY} crashed us` } } }, { code: "provider_unavailable" }],
  [
    "a key echoed at sign-in",
    { error: 401, body: { error: { message: `Incorrect key sk-scri***b3` } } },
    { message: expect.not.stringContaining("sk-") },
  ],
  ["an error in words", { error: 502, body: "Bad gateway" }, { code: "provider_unavailable", status: 502 }],
])("%s, as OpenRouter and proxies report it", async (_, answer, expected) => {
  expect(await failureFrom("chat", answer)).toMatchObject(expected);
});

test("Gemini calls a limit per minute a quota, too; only a quota per day is one", async () => {
  const body = (quotaId: string, delay: string) => ({
    error: {
      code: 429,
      message: "You exceeded your current quota, please check your plan and billing details.",
      status: "RESOURCE_EXHAUSTED",
      details: [
        { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: delay },
      ],
    },
  });
  const minute = await failureFrom("gemini", { error: 429, body: body("GenerateRequestsPerMinutePerProject", "7.5s") });
  expect(minute).toMatchObject({ code: "rate_limited", wake_at: NOW + 7_500 });
  await server?.close();
  const day = await failureFrom("gemini", { error: 429, body: body("GenerateRequestsPerDayPerProject", "3600s") });
  expect(day).toMatchObject({ code: "quota_exhausted", wake_at: NOW + 3_600_000 });
});

test("no server, a broken connection, and a redirect that would forward the key", async () => {
  server = await startModelServer(() => ({ text: "never" }));
  const { endpoint, model } = endpointAt(server, "anthropic");
  await server.close();
  const ask = (baseUrl: string) =>
    refusalOf(() =>
      apiProvider({ endpoints: [{ ...endpoint, baseUrl }], env: { SCRIPTED_KEY: KEY }, priceOf: () => 0 }).invoke(
        { ...REQUEST, model },
        NEVER,
      ),
    );
  const refused = await ask(endpoint.baseUrl);
  expect(refused.message).toContain("the connection was refused");
  expect([refused.code, (await ask("http://no-such-host.invalid/v1")).code]).toEqual(["provider_unavailable", "provider_unavailable"]);
  expect(refused.details.suggested_next_actions[0]).toMatch(/is running at http:\/\/127\.0\.0\.1/);
  const unknown = await ask("http://no-such-host.invalid/v1");
  expect(unknown.message).toContain("its host name is not known");
  expect(unknown.details.suggested_next_actions[0]).toMatch(/network/);

  const elsewhere = await startModelServer(() => ({ text: "caught" }));
  const redirect = await failureFrom("anthropic", { error: 307, headers: { location: `${elsewhere.baseUrls.anthropic}/messages` } });
  expect(redirect).toMatchObject({ code: "agent_failed" });
  expect(elsewhere.calls).toEqual([]);
  await elsewhere.close();
});
