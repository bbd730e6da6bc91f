import { tool, type AnyTool } from "@slipway/kernel/tools/tool";
import { z } from "zod";

declare module "@slipway/kernel/config/rbac" {
  interface ProtocolTools {
    list_lengths: true;
  }
}

export function serverTools(role: string | null): readonly AnyTool[] {
  return [
    tool({
      name: "list_lengths",
      kind: "read",
      roles: ["orchestrator"],
      caller: { id: role ?? "client", admit: async () => undefined },
      description: "Lists the lengths a note can have.",
      input: z.strictObject({}),
      output: z.strictObject({ lengths: z.array(z.string()), by: z.string() }),
      call: async (_kernel, _input, { actor }) => ({ data: { lengths: ["short"], by: actor.id } }),
    }),
  ];
}
