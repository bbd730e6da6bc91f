import { dirname, join } from "node:path";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { openKernelAt } from "@slipway/kernel/open";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import { callTool } from "@slipway/kernel/tools/dispatch";
import { loadDocumentSchemas } from "@slipway/kernel/tools/documents";
import { assembleTools } from "@slipway/kernel/tools/table";
import { openServerParts } from "@slipway/mcp/server-parts";
import type { OpenedRepository } from "./serve.ts";

const ACTOR = { actor_type: "system", actor_id: "bench" } as const;
const CREDENTIAL = { role: "system", actorId: "bench", feature: null } as const;
const OVERRIDE = { reason: "measuring what a gate costs without a sandbox", by: "bench" } as const;

const report = (line: string): void => console.error(line);

/** Our own dispatch, as the MCP server calls it, without a transport. */
export async function openOurs(root: string, { sandboxed }: Readonly<Record<string, unknown>>): Promise<OpenedRepository> {
  const opened = await openKernelAt({
    cwd: root,
    env: ourEnvironment(root),
    askTrust: trustAnything,
    unsandboxed: sandboxed === true ? undefined : OVERRIDE,
  });
  const { tools } = await openServerParts({
    opened,
    table: assembleTools(ALL_TOOLS),
    documents: loadDocumentSchemas(),
    transport: "stdio",
    version: "bench",
    report,
  });
  const kernel = await opened.kernel();
  return {
    async call(tool, args, id) {
      const { definition } = tools.byName.get(tool) ?? {};
      const identity = definition?.kind === "read" ? ACTOR : { ...ACTOR, operation_id: id };
      const envelope = await callTool(
        kernel,
        tools,
        CREDENTIAL,
        tool,
        { ...args, ...identity },
        { onBug: (error) => report(String(error)) },
      );
      if (!envelope.ok) throw new Error(`${tool}: ${JSON.stringify(envelope.error)}`);
      return envelope.data;
    },
    close: () => opened.close(),
  };
}

/** Keys and heads go beside the repository, not into the user's home. */
export function ourEnvironment(root: string): Readonly<Record<string, string | undefined>> {
  const home = dirname(root);
  return {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "bench",
  };
}
