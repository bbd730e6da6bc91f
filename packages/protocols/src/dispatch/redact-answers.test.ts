import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { expect, test, vi } from "vitest";
import { redactedResult, redactedProvider } from "./redact-answers.ts";

const SECRET = "a-very-secret-value";
const kernel = { conceal: createRedactor({ secrets: [SECRET], patterns: false }).value };
const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 0, calls: 1, model: null };
const TOKEN_OF_A_TEST = `ghp_${"a".repeat(36)}`;

test("a result is redacted, with a warning", () => {
  const onSecret = vi.fn<() => void>();
  const output = { type: "NOTE", text: `it is ${SECRET}`, list: [Buffer.from(SECRET).toString("base64")] };
  expect(redactedResult(kernel, { ok: true, output, usage }, onSecret)).toMatchObject({
    ok: true,
    output: { text: "it is [redacted]", list: ["[redacted]"] },
  });
  const failure = { code: "agent_failed" as const, message: `said ${SECRET}`, details: { stderr: SECRET } };
  expect(redactedResult(kernel, { ok: false, failure, usage }, onSecret)).toMatchObject({
    ok: false,
    failure: { message: "said [redacted]", details: { stderr: "[redacted]" } },
  });
  expect(onSecret).toHaveBeenCalledTimes(2);
});

test("text that merely looks like a secret stays, because it may be part of the work", () => {
  const onSecret = vi.fn<() => void>();
  const result = { ok: true as const, output: { text: TOKEN_OF_A_TEST }, usage };
  expect(redactedResult(kernel, result, onSecret)).toBe(result);
  expect(onSecret).not.toHaveBeenCalled();
});

test("a provider's reply is redacted before it is stored", async () => {
  const onSecret = vi.fn<() => void>();
  const say = (text: string, raw?: unknown): Provider => ({
    name: "said",
    works: "prompt",
    invoke: async () => ({
      text,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      model: null,
      ...(raw === undefined ? {} : { raw }),
    }),
  });
  const ask = (provider: Provider) =>
    redactedProvider(provider, kernel, onSecret).invoke({} as ProviderRequest, new AbortController().signal);
  expect(await ask(say(`"${SECRET}"`, { line: SECRET }))).toMatchObject({ text: '"[redacted]"', raw: { line: "[redacted]" } });
  expect(onSecret).toHaveBeenCalledTimes(1);
  expect(await ask(say("fine", { line: SECRET }))).toMatchObject({ text: "fine", raw: { line: "[redacted]" } });
  expect(await ask(say(`${SECRET}!`))).not.toHaveProperty("raw");
  expect(await ask(say("fine"))).not.toHaveProperty("raw");
});
