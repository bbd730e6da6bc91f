import { expect, test } from "vitest";
import type { AgentEvent } from "../provider.ts";
import { endFailure, stopFailure } from "./failures.ts";
import { scriptedAgent } from "./testing/opened.ts";
import { openTurn } from "./turn.ts";

function scene() {
  const events: AgentEvent[] = [];
  const turn = openTurn({
    maxTextCharacters: 10,
    onTooLong: () => events.push({ kind: "raw", line: "too long" }),
    onRetry: () => undefined,
    onEvent: (event) => events.push(event),
    now: () => 0,
  });
  return { events, turn, take: (update: object) => turn.take({ sessionId: "one", update }) };
}

test("a tool is reported when it has ended, with what is known by then", () => {
  const { events, take } = scene();
  take({ sessionUpdate: "tool_call", toolCallId: "a", title: "Read a.txt", kind: "read", status: "pending" });
  take({ sessionUpdate: "tool_call_update", toolCallId: "a", title: null, rawInput: { path: "a.txt" } });
  take({ sessionUpdate: "tool_call_update", toolCallId: "a", status: "completed", content: [{ type: "content" }] });
  take({ sessionUpdate: "tool_call_update", toolCallId: "b", status: "failed" });
  take({ sessionUpdate: "tool_call", toolCallId: "c", name: "grep", title: "Search", kind: "search", status: "completed", rawOutput: "2" });
  expect(events).toEqual([
    { kind: "tool", name: "Read a.txt", input: { path: "a.txt" }, output: '[{"type":"content"}]', ok: true, duration_ms: 0 },
    { kind: "tool", name: "tool", input: { title: null, kind: null }, output: '""', ok: false, duration_ms: 0 },
    { kind: "tool", name: "grep", input: { title: "Search", kind: "search" }, output: '"2"', ok: true, duration_ms: 0 },
  ]);
});

test("unknown updates are ignored, and a cost in another currency is not taken for dollars", () => {
  const { events, turn, take } = scene();
  turn.take(null);
  take({ sessionUpdate: "dance" });
  take({ sessionUpdate: "agent_message_chunk", content: { type: "image" } });
  take({ sessionUpdate: "usage_update", used: 4, cost: { amount: 3, currency: "EUR" } });
  take({ sessionUpdate: "usage_update", used: 2 });
  take({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "  " } });
  expect(turn.answer()).toBe("");
  expect(turn.usage({})).toEqual({ input_tokens: 4, output_tokens: 0, cost_usd: 0 });
  take({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(11) } });
  expect(events).toEqual([{ kind: "raw", line: "too long" }]);
});

test("cached tokens are separate, and part of the input whether or not the agent counts them there", () => {
  const { turn } = scene();
  const usage = { totalTokens: 1120, inputTokens: 100, outputTokens: 20, cachedReadTokens: 900, cachedWriteTokens: 100 };
  const counted = { input_tokens: 1100, output_tokens: 20, cached_input_tokens: 900, cache_write_tokens: 100, cost_usd: 0 };
  expect(turn.usage({ usage })).toEqual(counted);
  expect(turn.usage({ usage: { ...usage, inputTokens: 1100 } })).toEqual(counted);
});

test("every end of a process and every stop has a text", () => {
  const { agent } = scriptedAgent({ acts: [] });
  const scrub = (text: string) => text;
  const ended = (end: object) => endFailure(agent, { stderr: "", durationMs: 1, ...end } as never, scrub).message;
  expect(endFailure(agent, null, scrub).message).toMatch(/closed the connection before it answered\.$/);
  expect(ended({ kind: "flood", limitBytes: 5 })).toMatch(/wrote more than 5 bytes and was stopped\.$/);
  expect(ended({ kind: "limit", limit: "memory" })).toMatch(/went beyond its limit of memory and was stopped\.$/);
  expect(ended({ kind: "timeout" })).toMatch(/did not end in time and was stopped\.$/);
  expect(stopFailure(agent, { kind: "cancelled" }, scrub).message).toMatch(/was stopped\.$/);
});
