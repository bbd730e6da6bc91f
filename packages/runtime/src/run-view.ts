import { protocolOf } from "@slipway/protocols/protocols";
import { plainNode, type RunView, type RunWait } from "@slipway/protocols/run-view";
import type { Reader } from "@slipway/protocols/surface/surface";
import { chooseRun, openQuestionsOf } from "./choose.ts";

/** A run of any protocol as one tree. */
export async function runView(reader: Reader, named: string): Promise<RunView> {
  const { runId, workflow, status } = await chooseRun(reader.engine, named);
  const { name: protocol, load } = protocolOf(workflow);
  const root = plainNode({ id: runId, parent: null, kind: "run", title: runId, status, waits_for: await questionsOf(reader, runId) });
  return { run: runId, protocol, status, nodes: [root, ...(await (await load()).view(reader, runId))] };
}

/** Questions of the run itself; those about a feature are at its node. */
async function questionsOf({ records }: Reader, runId: string): Promise<RunWait[]> {
  const own = (await openQuestionsOf(records, runId)).filter(({ context }) => context["feature_id"] === undefined);
  const numbers = await records.inbox.numbers();
  return own.map(({ id, kind }) => ({ for: "person", what: `Q${numbers.get(id)} (${kind})` }));
}
