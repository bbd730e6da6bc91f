import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../provider.ts";
import { CLIENTS } from "./catalog.ts";
import { CLIENT_NAMES, type ClientName } from "./client.ts";
import { parsedObject } from "./json.ts";
import { FIXTURES } from "./testing/played.ts";

const NOW = 1_800_000_000_000;

function read(name: ClientName, lines: readonly unknown[]) {
  const events: AgentEvent[] = [];
  const reader = CLIENTS[name].read(
    (event) => events.push(event),
    () => NOW,
  );
  for (const line of lines) reader.line(line as Record<string, unknown>);
  return { ...reader.result(), events };
}

const recorded = (name: ClientName, slug: string) =>
  readFileSync(join(FIXTURES, name, `${slug}.jsonl`), "utf8")
    .split("\n")
    .flatMap((line) => parsedObject(line) ?? []);

describe.each(CLIENT_NAMES)("%s, from recorded output of the real client", (name) => {
  test("an answer, with its usage", () => {
    const { answer, complete, error, usage } = read(name, recorded(name, "schema-valid-answer"));
    expect({ answer: JSON.parse(answer ?? ""), complete, error }).toEqual({
      answer: { verdict: "yes", reason: "It greets." },
      complete: true,
      error: null,
    });
    expect(usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
  });

  test("tools, each with input and result", () => {
    const { events } = read(name, recorded(name, "file-edits-returned-as-a-patch"));
    const tools = events.filter((event) => event.kind === "tool");
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.every(({ ok, duration_ms }) => ok && duration_ms === 0)).toBe(true);
    expect(JSON.stringify(tools)).toContain("greeting.txt");
  });

  test("limits", () => {
    const limited = read(name, recorded(name, "rate-limit"));
    expect(limited.error ?? limited.waitsFor).toMatchObject({ kind: "rate_limit" });
    expect(read(name, recorded(name, "quota"))).toMatchObject({ error: { kind: "quota" } });
  });

  test("a broken connection is an error and no answer", () => {
    expect(read(name, recorded(name, "truncated-stream"))).toMatchObject({ error: { kind: "other" } });
  });

  test("output that breaks off at any point is not complete", () => {
    const lines = recorded(name, "tool-use");
    for (let kept = 0; kept < lines.length - 1; kept++) expect(read(name, lines.slice(0, kept)).complete).toBe(false);
    expect(read(name, lines).complete).toBe(true);
  });

  test("unknown content of a line changes nothing", () => {
    const noise = [
      {},
      { type: null },
      { type: "result" },
      { type: "message", content: 7 },
      { type: "item.completed" },
      { type: "error" },
      { type: "user", message: [] },
    ];
    expect(() => read(name, noise)).not.toThrow();
  });

  test("no fixture names the machine it was recorded on", () => {
    for (const file of readdirSync(join(FIXTURES, name))) {
      expect(readFileSync(join(FIXTURES, name, file), "utf8"), file).not.toMatch(/\/tmp\/slipway|\.cache|\/root\/|sk-scripted/);
    }
  });
});

describe("claude", () => {
  const failed = (fields: object) => read("claude", [{ type: "result", subtype: "success", is_error: true, ...fields }]).error;

  test.each([
    [{ api_error_status: 429, result: "API Error: Request rejected (429)" }, "rate_limit"],
    [{ api_error_status: 529, result: "Overloaded" }, "rate_limit"],
    [{ api_error_status: 429, result: "You exceeded your current quota" }, "quota"],
    [{ terminal_reason: "prompt_too_long", result: "Prompt is too long" }, "context"],
    [{ stop_reason: "refusal", result: "API Error: can't help with this" }, "refusal"],
    [{ subtype: "error_max_budget_usd", is_error: false }, "budget"],
    [{ subtype: "error_max_turns", is_error: false }, "other"],
    [{ api_error: "connection_failed", result: "Connection to the API was lost: authentication" }, "other"],
  ])("%o is %s", (fields, kind) => {
    expect(failed(fields)).toMatchObject({ kind });
  });

  test("an API error gets its kind from the message before it", () => {
    for (const [error, kind] of [
      ["billing_error", "quota"],
      ["authentication_failed", "auth"],
      ["model_not_found", "model"],
    ]) {
      const lines = [
        { type: "assistant", error, message: { content: [] } },
        { type: "result", subtype: "success", is_error: true, result: "x" },
      ];
      expect(read("claude", lines).error).toMatchObject({ kind });
    }
  });

  test("the limit of a subscription has its end time", () => {
    const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: NOW / 1000 + 600 } };
    const end = { type: "result", subtype: "success", is_error: true, result: "You've hit your limit" };
    expect(read("claude", [limit, end]).error).toMatchObject({ kind: "quota", wakeAt: NOW + 600_000 });
    const allowed = { ...limit, rate_limit_info: { status: "allowed", resetsAt: 1 } };
    expect(read("claude", [allowed, { ...end, is_error: false }]).error).toBeNull();
  });

  test("a schema that was never satisfied returns the rejected answer, so that Slipway reports the errors", () => {
    const block = { type: "tool_use", id: "1", name: "StructuredOutput", input: { verdict: "perhaps" } };
    const end = { type: "result", subtype: "error_max_structured_output_retries", is_error: true };
    expect(read("claude", [{ type: "assistant", message: { content: [block] } }, end])).toMatchObject({
      answer: '{"verdict":"perhaps"}',
      error: null,
    });
    expect(read("claude", [{ ...end, result: "sorry" }]).answer).toBe("sorry");
  });

  test("the model with most output did the work", () => {
    const modelUsage = { small: { outputTokens: 3 }, large: { outputTokens: 30 } };
    expect(read("claude", [{ type: "result", subtype: "success", is_error: false, result: "x", modelUsage }]).model).toBe("large");
    expect(read("claude", [{ type: "system", subtype: "init", model: "m" }]).model).toBe("m");
  });
});

describe("codex", () => {
  test("an error during the turn is not its end", () => {
    const lines = [
      { type: "error", message: "Reconnecting... 1/5 (429 Too Many Requests)" },
      { type: "item.completed", item: { type: "agent_message", text: "{}" } },
      { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    expect(read("codex", lines)).toMatchObject({ answer: "{}", complete: true, error: null });
  });

  test("a turn without text is a refusal, and one without any event is nothing", () => {
    const turn = (output_tokens: number) => [{ type: "turn.completed", usage: { input_tokens: 9, output_tokens } }];
    expect(read("codex", turn(20)).error).toMatchObject({ kind: "refusal" });
    expect(read("codex", turn(0))).toMatchObject({ error: null, answer: null });
  });

  test("tools of a server, searches, and commands that fail", () => {
    const done = (item: object) => ({ type: "item.completed", item: { id: "1", status: "completed", ...item } });
    const { events } = read("codex", [
      done({ type: "mcp_tool_call", arguments: { a: 1 }, result: { ok: 1 } }),
      done({ type: "mcp_tool_call", arguments: { a: 2 }, status: "failed", error: { message: "no" } }),
      done({ type: "web_search", query: "q" }),
      done({ type: "command_execution", command: "false", aggregated_output: "", exit_code: 1 }),
    ]);
    expect(events.map((event) => (event.kind === "tool" ? [event.name, event.input, event.output, event.ok] : event))).toEqual([
      ["mcp_tool_call", { a: 1 }, '{"ok":1}', true],
      ["mcp_tool_call", { a: 2 }, '{"message":"no"}', false],
      ["web_search", "q", "", true],
      ["command_execution", "false", "", false],
    ]);
  });
});

describe("gemini", () => {
  test("text before a tool is not the answer, and an endless answer is cut", () => {
    const said = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
    const tool = { type: "tool_use", tool_id: "1", tool_name: "read_file", parameters: {} };
    const failed = { type: "tool_result", tool_id: "1", status: "error", error: { message: "not there" } };
    const { answer, events } = read("gemini", [said("Let me look."), tool, failed, said("{"), said("}"), said("")]);
    expect(answer).toBe("{}");
    expect(events).toContainEqual(expect.objectContaining({ kind: "tool", ok: false, output: "not there" }));
    const endless = read(
      "gemini",
      Array.from({ length: 20 }, () => said("x".repeat(1024 ** 2))),
    );
    expect(endless.answer?.length).toBe(8 * 1024 ** 2 + 1);
  });

  test("a tool result without a tool call is ignored", () => {
    expect(read("gemini", [{ type: "tool_result", tool_id: "9", status: "success" }]).events).toEqual([]);
  });
});

describe("opencode", () => {
  const finish = (reason: string, output = 5) => ({
    type: "step_finish",
    part: { reason, tokens: { input: 10, output, reasoning: 2, cache: { read: 3, write: 4 } }, cost: 0.25 },
  });
  const say = (text: string) => ({ type: "text", part: { text } });

  test("sums its steps, and ends with the one that uses no tool", () => {
    const { usage, complete, answer } = read("opencode", [
      say("looking"),
      finish("tool-calls"),
      { type: "step_start" },
      say("{}"),
      finish("stop"),
    ]);
    expect({ usage, complete, answer }).toEqual({
      usage: { input_tokens: 34, output_tokens: 14, cached_input_tokens: 6, cache_write_tokens: 8, cost_usd: 0.5 },
      complete: true,
      answer: "{}",
    });
  });

  test.each([
    [[say("no"), finish("content-filter")], { kind: "refusal", message: "no" }],
    [[finish("content-filter", 0)], { kind: "refusal", message: "" }],
    [[finish("stop")], { kind: "refusal" }],
    [[say("{"), finish("length")], { kind: "other" }],
    [[{ type: "error", error: { name: "ContextOverflowError", data: { message: "too long" } } }], { kind: "context", message: "too long" }],
    [[{ type: "error", error: { name: "APIError", data: { message: "no", statusCode: 401 } } }], { kind: "auth" }],
    [[{ type: "error", error: { name: "UnknownError" } }], { kind: "other", message: "UnknownError" }],
    [
      [{ type: "slipway_retry", attempt: 1, message: "Rate limit reached", next: NOW + 300_000 }],
      { kind: "rate_limit", wakeAt: NOW + 300_000 },
    ],
    [
      [{ type: "slipway_retry", attempt: 6, message: "Rate limit reached, try again in 20s" }],
      { kind: "rate_limit", wakeAt: NOW + 20_000 },
    ],
    [[{ type: "slipway_retry", attempt: 1, message: "Rate limit reached" }], { kind: "rate_limit", wakeAt: null }],
    [[{ type: "slipway_retry", attempt: 1, message: "exceeded your current quota", next: NOW + 9 }], { kind: "quota", wakeAt: null }],
    [[{ type: "slipway_retry", attempt: 3, message: "The server had an error" }], { kind: "other" }],
  ])("%o is an error", (lines, error) => {
    expect(read("opencode", lines).error).toMatchObject(error);
  });

  test.each([
    ["a server to recover", { attempt: 2, message: "The server had an error" }],
    ["a limit that ends soon, with its session", { attempt: 1, message: "Rate limit reached", next: NOW + 8_000 }],
  ])("waits shortly for %s", (_, retry) => {
    expect(read("opencode", [{ type: "slipway_retry", ...retry }])).toMatchObject({ error: null, waitsFor: { message: retry.message } });
  });

  test("gives its answer in spite of an error before it", () => {
    const lines = [
      { type: "slipway_retry", attempt: 1, message: "Rate limit reached", next: NOW + 300_000 },
      { type: "text", part: { text: "done" } },
      { type: "step_finish", part: { reason: "stop", tokens: { input: 10, output: 2 } } },
    ];
    expect(read("opencode", lines)).toMatchObject({ answer: "done", complete: true, error: null });
  });
});
