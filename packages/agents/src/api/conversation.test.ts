import { expect, test } from "vitest";
import type { AgentEvent } from "../provider.ts";
import { listen, tokensOf } from "./conversation.ts";

function listening(prices: readonly (number | null)[] = []) {
  const events: AgentEvent[] = [];
  let call = 0;
  let now = 0;
  const listener = listen(
    (event) => events.push(event),
    () => prices[call++] ?? null,
    () => (now += 5),
  );
  return { events, listener };
}

const finish = {
  type: "finish-step",
  response: { id: "1", modelId: "", timestamp: new Date(0) },
  usage: { inputTokens: undefined, inputTokenDetails: {}, outputTokens: 7, outputTokenDetails: {}, totalTokens: undefined },
  finishReason: "stop",
  rawFinishReason: undefined,
  providerMetadata: undefined,
} as never;

test("each warning is reported once", () => {
  const { listener } = listening();
  const warnings = [
    { type: "other", message: "Something." },
    { type: "unsupported", feature: "topK" },
    { type: "compatibility", feature: "schema", details: "It was changed." },
    { type: "deprecated", setting: "old", message: "Use new." },
    { type: "other", message: "Something." },
  ] as const;
  listener.hear({ type: "start-step", request: {}, warnings: [...warnings] } as never);
  expect(listener.heard().warnings).toEqual(["Something.", "topK: unsupported", "schema: It was changed.", "old: Use new."]);
});

test("a sum with an unknown price is unknown", () => {
  const { listener } = listening([0.5, null, 0.25]);
  listener.hear(finish);
  expect(listener.heard()).toMatchObject({ cost: 0.5, model: null, tokens: { input: 0, output: 7 } });
  listener.hear(finish);
  listener.hear(finish);
  expect(listener.heard()).toMatchObject({ cost: null, tokens: { output: 21 } });
});

test("an empty block is no event; a tool that was never called takes no time; any value can be thrown", () => {
  const { events, listener } = listening();
  listener.hear({ type: "text-end", id: "1" });
  listener.hear({ type: "tool-error", toolCallId: "x", toolName: "ls", input: {}, error: "gone" } as never);
  expect(events).toMatchObject([{ kind: "tool", output: "gone", ok: false }]);
  listener.hear({ type: "error", error: undefined });
  expect(String(listener.heard().error)).toContain("without a message");
});

test("tokens that a provider does not count are zero", () => {
  expect(tokensOf({ inputTokens: 3, inputTokenDetails: { cacheReadTokens: 1 } } as never)).toEqual({
    input: 3,
    output: 0,
    cacheRead: 1,
    cacheWrite: 0,
  });
});
