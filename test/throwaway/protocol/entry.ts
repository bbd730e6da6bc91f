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
  demos: [
    {
      name: "throwaway",
      summary: "one note, from the question about its tone to its merge",
      load: async () => (await import("./demo/demo.ts")).throwawayDemo,
    },
  ],
  load: async () => (await import("./implementation.ts")).throwaway,
};
