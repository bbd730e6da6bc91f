import { join } from "node:path";
import { serve } from "./serve.ts";

interface Response {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: unknown;
}
interface Identity {
  readonly actor_type: string;
  readonly actor_id: string;
  readonly run_id: string;
  readonly session_id: string;
}
interface PeerKernel {
  load(): Promise<void>;
}
interface PeerTooling {
  readonly inProcessClient: { call(tool: string, args: object, identity: Identity): Promise<Response> };
}

/** The mutating tools of its catalog that are used here. */
const READS = new Set(["report.dashboard", "feature.state_get"]);
const ACTOR = { actor_type: "system", actor_id: "bench", session_id: "bench" };

const [peerFolder = ""] = process.argv.slice(2);
const part = async (path: string) => import(join(peerFolder, "dist", "apps", "control-plane", path));
const { AopKernel } = (await part("core/kernel.js")) as { AopKernel: new (root: string) => PeerKernel };
const { createToolingRuntime } = (await part("mcp/runtime-factory.js")) as {
  createToolingRuntime: (root: string, kernel: PeerKernel, options: object) => Promise<PeerTooling>;
};

/** Its own dispatch, including role, schemas and operation ledger, without a transport. */
serve(async (root, { run = "bench" }) => {
  const kernel = new AopKernel(root);
  await kernel.load();
  const { inProcessClient } = await createToolingRuntime(root, kernel, { generateToolsMarkdown: false });
  return {
    async call(tool, args, id) {
      const all = READS.has(tool) ? args : { ...args, operation_id: id };
      const response = await inProcessClient.call(tool, all, { ...ACTOR, run_id: String(run) });
      if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(response.error)}`);
      return response.data;
    },
    close: () => Promise.resolve(),
  };
});
