import type { ProtocolEntry } from "@slipway/protocols/protocol";

export const throwaway: ProtocolEntry = {
  name: "throwaway",
  summary: "one note, written by one role",
  takes: "a request",
  delivers: "one change",
  example: 'slipway throwaway "a note about tides"',
  started: ["throwaway"],
  tools: async () => (await import("./tools.ts")).THROWAWAY_TOOLS,
  servers: [
    {
      name: "throwaway-server",
      summary: "Serves the lengths a note can have.",
      instructions: "Ask for the lengths.",
      roles: ["reader"],
      load: async ({ role }) => (await import("./server-tools.ts")).serverTools(role),
    },
  ],
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
