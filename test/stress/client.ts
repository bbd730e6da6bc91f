import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { openKernelAt } from "@slipway/kernel/open";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import { callTool } from "@slipway/kernel/tools/dispatch";
import { loadDocumentSchemas } from "@slipway/kernel/tools/documents";
import { failureSchema, type ToolEnvelope } from "@slipway/kernel/tools/envelope";
import { serve } from "@slipway/kernel/tools/published-tool";

export type Arguments = Readonly<Record<string, unknown>>;

export interface Client {
  call(tool: string, args: Arguments): Promise<ToolEnvelope>;
  close(): Promise<void>;
}

/** Every tool of the catalog, called as `system`, through the dispatcher. */
export async function openClient(root: string, env: Readonly<Record<string, string>>): Promise<Client> {
  const opened = await openKernelAt({ cwd: root, env, askTrust: trustAnything, unsandboxed: { reason: "stress test", by: "kim" } });
  const tools = {
    byName: new Map(ALL_TOOLS.map((definition) => [definition.name as string, serve(definition)])),
    failure: failureSchema,
    documents: loadDocumentSchemas(),
  };
  const credential = { role: "system", actorId: "stress", feature: null } as const;
  return {
    call: async (tool, args) =>
      callTool(await opened.kernel(), tools, credential, tool, { actor_type: "system", actor_id: "stress", ...args }),
    close: () => opened.close(),
  };
}
