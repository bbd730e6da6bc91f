import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { runAgentProcess } from "../process/run.ts";
import type { Workplace } from "../provider.ts";
import type { OpenPack } from "./store.ts";

/** The pack as a workplace; the sandbox opens with the first process. */
export function workplaceIn(pack: OpenPack, sandbox: () => Promise<Sandbox>): Workplace {
  const { folder, tree, view, changes, restore } = pack;
  return {
    folder,
    tree,
    changes,
    restore,
    run: async (process) => runAgentProcess(await sandbox(), { folder, access: view.access }, process),
  };
}
