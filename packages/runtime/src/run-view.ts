import { protocolOf } from "@slipway/protocols/protocols";
import { plainNode, type RunView } from "@slipway/protocols/run-view";
import type { Reader } from "@slipway/protocols/surface/surface";
import { chooseRun } from "./choose.ts";

/** A run of any protocol as one tree. */
export async function runView(reader: Reader, named: string): Promise<RunView> {
  const { runId, workflow, status } = await chooseRun(reader.engine, named);
  const { name: protocol, load } = protocolOf(workflow);
  const root = plainNode({ id: runId, parent: null, kind: "run", title: runId, status });
  return { run: runId, protocol, status, nodes: [root, ...(await (await load()).view(reader, runId))] };
}
