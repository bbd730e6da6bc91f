import type { ProtocolEntry } from "@slipway/protocols/protocol";

export const throwaway: ProtocolEntry = {
  name: "throwaway",
  summary: "one note, written by one role",
  takes: "a request",
  delivers: "one change",
  example: 'slipway throwaway "a note about tides"',
  started: ["throwaway"],
  tools: async () => (await import("./tools.ts")).THROWAWAY_TOOLS,
  narration: async () => (await import("./steps.ts")).NARRATION,
  load: async () => (await import("./implementation.ts")).throwaway,
};
