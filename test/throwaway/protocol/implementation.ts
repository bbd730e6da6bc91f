import { narrateChange } from "@slipway/protocols/change/narrate";
import { openChangeServices } from "@slipway/protocols/change/services";
import { viewChanges } from "@slipway/protocols/change/view";
import type { Protocol } from "@slipway/protocols/protocol";
import { noteChange, throwaway as root, type ThrowawayResult } from "./protocol.ts";

export const throwaway: Protocol = {
  started: [root],
  parts: [noteChange],
  open: ({ kernel, dispatcher }) => ({ workflows: openChangeServices(kernel, dispatcher) }),
  prepare: async (_starter, { text }) => ({ input: { id: "note", request: text ?? "" }, slug: "note" }),
  narrate: (event) =>
    event.kind === "step" && event.name === "writer:1"
      ? { feature: "note", text: "the writer has answered", good: true }
      : narrateChange(event),
  view: viewChanges,
  describe(result) {
    const { status, commit } = result as ThrowawayResult;
    return status === "merged"
      ? { done: true, lines: [`The note is merged as ${commit.slice(0, 10)}.`] }
      : { done: false, lines: ["The note was not merged."] };
  },
};
