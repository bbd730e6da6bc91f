import { narrateChange } from "@slipway/protocols/change/narrate";
import { openChangeServices } from "@slipway/protocols/change/services";
import { viewChanges } from "@slipway/protocols/change/view";
import { eventLine } from "@slipway/protocols/narration/event-line";
import type { Protocol } from "@slipway/protocols/protocol";
import { NARRATION } from "./steps.ts";
import { noteChange, throwaway as root, type ThrowawayResult } from "./protocol.ts";

export const throwaway: Protocol = {
  started: [root],
  parts: [noteChange],
  open: ({ kernel, dispatcher }) => ({ workflows: openChangeServices(kernel, dispatcher) }),
  prepare: async (_starter, { text }) => ({ input: { id: "note", request: text ?? "" }, slug: "note" }),
  narrate(event) {
    const line = event.stream.includes("/") ? narrateChange(event) : eventLine(NARRATION, event);
    return line === null ? null : { feature: "note", ...line };
  },
  view: (reader, runId) => viewChanges(reader, runId, NARRATION),
  describe(result) {
    const { status, commit } = result as ThrowawayResult;
    return status === "merged"
      ? { done: true, lines: [`The note is merged as ${commit.slice(0, 10)}.`] }
      : { done: false, lines: ["The note was not merged."] };
  },
};
