import { SlipwayError } from "./errors.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { invoke, RESULTS, type Invocation } from "./invoke.ts";
import { createPack } from "./pack.ts";
import type { Provider } from "./provider.ts";
import type { Moment } from "./transcripts/line.ts";
import { PLANNER, scripted, tickingClock } from "./testing/samples.ts";

const schema = z.strictObject({ answer: z.number() });
const GOOD = '{"answer":42}';
const invocation = (provider: Provider, changes: Partial<Invocation<{ answer: number }>> = {}): Invocation<{ answer: number }> => ({
  role: PLANNER,
  subject: "greeting",
  attempt: "1",
  pack: createPack([{ title: "specification", kind: "spec", text: "Greet." }]),
  instructions: "Answer.",
  schema,
  provider,
  clock: tickingClock(),
  ...changes,
});

/** What an observer sees of an invocation. */
async function watched(provider: Provider, changes: Partial<Invocation<{ answer: number }>> = {}) {
  const moments: Moment[] = [];
  const result = await invoke(invocation(provider, { watch: (moment) => void moments.push(moment), ...changes }));
  return { result, moments };
}

test("a valid answer is returned with its cost, and an observer sees the messages", async () => {
  const provider = scripted(GOOD);
  const { result, moments } = await watched(provider, { model: "big-1", attempt: "2.3" });
  expect(result).toMatchObject({
    ok: true,
    output: { answer: 42 },
    usage: { input_tokens: 100, output_tokens: 10, cost_usd: 0.5, duration_ms: 10, calls: 1, model: "scripted-1" },
  });
  expect(moments).toMatchObject([
    { kind: "sent", repair: 0, system: "You plan.", prompt: provider.asked[0]?.prompt, prompt_digest: provider.asked[0]?.promptDigest },
    { kind: "answer", repair: 0, text: GOOD, usage: { input_tokens: 100, cost_usd: 0.5 }, model: "scripted-1", duration_ms: 10 },
    { kind: "ended", ok: true, usage: { calls: 1 }, failure: null },
  ]);
  expect(provider.asked[0]).toMatchObject({
    role: "planner",
    subject: "greeting",
    attempt: "2.3",
    repair: 0,
    model: "big-1",
    schema: { type: "object" },
  });
  expect(provider.asked[0]?.promptDigest).toMatch(/^[0-9a-f]{64}$/);
});

test("the input names role, feature, bundle, instructions, last results and provider, each once", async () => {
  const provider = scripted(GOOD);
  const pack = createPack([
    { title: "specification", kind: "spec", text: "Greet." },
    { title: "last tool results", kind: RESULTS, text: "gate_failed: two tests" },
  ]);
  await invoke(invocation(provider, { pack, model: "big-1", configRef: "MY_KEY_VARIABLE" }));
  expect(provider.asked[0]?.input).toEqual({
    role: "planner",
    feature_id: "greeting",
    context_bundle: [{ title: "specification", kind: "spec", text: "Greet." }],
    instructions: "Answer.",
    last_tool_results: "gate_failed: two tests",
    provider: "scripted",
    model: "big-1",
    provider_config_ref: "MY_KEY_VARIABLE",
  });
});

test("a provider that holds the answer to the schema gets no other form of it, in the first prompt and in a repair", async () => {
  const provider = { ...scripted('{"answer":"many"}', GOOD), holdsSchema: () => true };
  await invoke(invocation(provider));
  expect(provider.asked).toHaveLength(2);
  for (const { prompt } of provider.asked) expect(prompt).toContain("structured answer");
  for (const { prompt } of provider.asked) expect(prompt).not.toContain("Reply with");
  const plain = scripted('{"answer":"many"}', GOOD);
  await invoke(invocation(plain));
  expect(plain.asked.map(({ promptDigest }) => promptDigest)).toEqual(provider.asked.map(({ promptDigest }) => promptDigest));
});

describe("an answer that violates its schema", () => {
  test("is sent back with the exact errors, and the repaired one counts", async () => {
    const provider = scripted('{"answer":"many"}', "sorry", GOOD);
    const { result, moments } = await watched(provider);
    expect(result).toMatchObject({
      ok: true,
      output: { answer: 42 },
      usage: { calls: 3, input_tokens: 300, output_tokens: 30, cost_usd: 1.5, duration_ms: 30 },
    });
    expect(provider.asked.map(({ repair }) => repair)).toEqual([0, 1, 2]);
    expect(provider.asked[1]?.prompt).toContain('- /answer: expected a number, found "many"');
    expect(provider.asked[2]?.prompt).toContain("- The answer is refused: not valid JSON");
    expect(provider.asked[2]?.prompt).not.toContain("many");
    expect(new Set(provider.asked.map(({ promptDigest }) => promptDigest)).size).toBe(3);
    expect(moments.map(({ kind }) => kind)).toEqual(["sent", "answer", "refused", "sent", "answer", "refused", "sent", "answer", "ended"]);
    expect(moments[2]).toEqual({ kind: "refused", repair: 0, errors: ['/answer: expected a number, found "many"'] });
  });

  test("is a failure after the last repair", async () => {
    const provider = scripted("one", "two", "three", GOOD);
    const result = await invoke(invocation(provider));
    expect(provider.asked).toHaveLength(3);
    expect(result).toMatchObject({
      ok: false,
      failure: {
        code: "agent_output_invalid",
        message: expect.stringContaining("no valid answer in 3 tries"),
        details: { role: "planner", subject: "greeting", repairs: 2, retryable: false },
      },
      usage: { calls: 3 },
    });
  });

  test("is a failure at once if no repair is allowed", async () => {
    const provider = scripted("{}", GOOD);
    expect(await invoke(invocation(provider, { maxRepairs: 0 }))).toMatchObject({
      ok: false,
      failure: {
        code: "agent_output_invalid",
        message: expect.stringContaining("in 1 try. Last: /answer: missing"),
        details: { errors: ["/answer: missing; expected a number"] },
      },
    });
    expect(provider.asked).toHaveLength(1);
  });
});

describe("a failure of the provider", () => {
  test("is a value, with its duration", async () => {
    const { result, moments } = await watched(scripted("no", new SlipwayError("agent_failed", "The network is down.")));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "agent_failed", message: "The network is down.", details: { retryable: true } },
      usage: { calls: 2, input_tokens: 100, duration_ms: 20, model: "scripted-1" },
    });
    expect(moments.slice(-2)).toMatchObject([
      { kind: "failed", repair: 1, failure: { code: "agent_failed" }, duration_ms: 10 },
      { kind: "ended", ok: false, failure: { code: "agent_failed" } },
    ]);
  });

  test("is thrown if it is a bug", async () => {
    await expect(invoke(invocation(scripted(new TypeError("undefined is not a function"))))).rejects.toThrow(TypeError);
  });
});

describe("a stop", () => {
  test("before the call makes no request", async () => {
    const provider = scripted(GOOD);
    await expect(invoke(invocation(provider, { signal: AbortSignal.abort(new Error("stopped")) }))).rejects.toThrow("stopped");
    expect(provider.asked).toHaveLength(0);
  });

  test("during the call ends it, however the provider reacts", async () => {
    for (const outcome of ["answers", "fails", "fails oddly"]) {
      const controller = new AbortController();
      const provider: Provider = {
        name: "slow",
        works: "prompt",
        invoke: () => {
          controller.abort(new Error("stopped"));
          if (outcome === "answers")
            return Promise.resolve({ text: GOOD, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, model: null });
          return Promise.reject(outcome === "fails" ? new SlipwayError("agent_failed", "killed") : new Error("odd"));
        },
      };
      await expect(invoke(invocation(provider, { signal: controller.signal }))).rejects.toThrow("stopped");
    }
  });
});

describe("a budget", () => {
  test.each([
    [{ max_calls: 1 }, "1 of 1 calls are used"],
    [{ max_tokens: 110 }, "110 of 110 tokens are used"],
    [{ max_cost_usd: 0.5 }, "$0.5 of $0.5 is spent"],
  ])("%j that is used up stops the repairs", async (budget, limit) => {
    const provider = scripted("no", GOOD);
    const result = await invoke(invocation(provider, { budget }));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "budget_exceeded", message: expect.stringContaining(limit) },
      usage: { calls: 1 },
    });
    expect(provider.asked).toHaveLength(1);
  });

  test("that is not used up does not", async () => {
    expect(await invoke(invocation(scripted("no", GOOD), { budget: { max_calls: 2, max_tokens: 111, max_cost_usd: 0.6 } }))).toMatchObject({
      ok: true,
    });
  });
});

test("half a surrogate pair in an answer does not break the transcript", async () => {
  const { result, moments } = await watched(scripted("\ud800", GOOD));
  expect(result.ok).toBe(true);
  expect(moments.flatMap((moment) => (moment.kind === "answer" ? [moment.text] : []))).toEqual(["\ufffd", GOOD]);
  expect(await invoke(invocation(scripted('{"answer":"\\ud800"}', GOOD)))).toMatchObject({ ok: true, usage: { calls: 2 } });
});

test("the provider's events reach observer and listener, in order", async () => {
  const heard: unknown[] = [];
  const provider: Provider = {
    name: "talking",
    works: "prompt",
    invoke: async ({ onEvent }) => {
      onEvent?.({ kind: "text", text: "let me see" });
      onEvent?.({ kind: "tool", name: "read", input: { path: "a" }, output: "one", ok: true, duration_ms: 1 });
      return { text: GOOD, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, model: null };
    },
  };
  const { moments } = await watched(provider, { onEvent: (event) => heard.push(event.kind) });
  expect(moments.map(({ kind }) => kind)).toEqual(["sent", "text", "tool", "answer", "ended"]);
  expect(heard).toEqual(["text", "tool"]);
});

test("warnings and the provider's own duration are passed on", async () => {
  const heard: string[] = [];
  const usage = { input_tokens: 1, output_tokens: 1, cost_usd: 0, duration_ms: 5000 };
  const provider = scripted({ text: GOOD, warnings: ["the prompt has drifted"], usage });
  const result = await invoke(invocation(provider, { onWarning: (warning) => heard.push(warning) }));
  expect(heard).toEqual(["the prompt has drifted"]);
  expect(result.usage.duration_ms).toBe(5000);
  expect(await invoke(invocation(scripted({ text: GOOD, warnings: ["unheard"] })))).toMatchObject({ ok: true });
});
