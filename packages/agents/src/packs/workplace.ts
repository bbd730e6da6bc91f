import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { runAgentProcess, type OnTraffic } from "../process/run.ts";
import { runShell } from "../process/shell.ts";
import type { Workplace } from "../provider.ts";
import { canChange, NATIVE_TOOLS, type NativeTool } from "../tools/native-tools.ts";
import type { OpenPack } from "./store.ts";

const READ_ONLY = [{ path: ".", writable: false }];

/** The pack as a workplace; the sandbox opens with the first process. A process of a role that may not change files cannot. */
export function workplaceIn(
  pack: OpenPack,
  sandbox: () => Promise<Sandbox>,
  tools: readonly NativeTool[] = NATIVE_TOOLS,
  onTraffic?: OnTraffic,
): Workplace {
  const { folder, tree, view, changes, restore } = pack;
  const access = canChange(tools) ? view.access : READ_ONLY;
  return {
    folder,
    tree,
    changes,
    restore,
    exec: async (line, options) => runShell(await sandbox(), { folder, access }, line, options),
    run: async (process) => runAgentProcess(await sandbox(), { folder, access }, process, onTraffic),
  };
}
