import { tool, type AnyTool } from "@slipway/kernel/tools/tool";
import { z } from "zod";

declare module "@slipway/kernel/config/rbac" {
  interface ProtocolTools {
    "throwaway.tones": true;
  }
}

export const THROWAWAY_TOOLS: readonly AnyTool[] = [
  tool({
    name: "throwaway.tones",
    kind: "read",
    roles: ["orchestrator", "system"],
    description: "Lists the tones a note can have.",
    input: z.strictObject({}),
    output: z.strictObject({ tones: z.array(z.string()) }),
    call: async () => ({ data: { tones: ["plain", "solemn"] } }),
  }),
];
