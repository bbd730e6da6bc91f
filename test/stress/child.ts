import { appendFileSync } from "node:fs";
import { seededRandom } from "../kill/random.ts";
import { chooseCall } from "./calls.ts";
import { openClient } from "./client.ts";

/** One process of the stress test: calls as fast as it can, and records its calls and their results. */
interface Orders {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly log: string;
  readonly seed: number;
  readonly calls: number;
}

const { root, env, log, seed, calls } = JSON.parse(process.argv[2] ?? "") as Orders;
const random = seededRandom(seed);
const client = await openClient(root, env);
for (let count = 1; count <= calls; count++) {
  const { tool, args } = await chooseCall(client, random);
  const operation_id = `${seed}-${count}`;
  const answer = await client.call(tool, { ...args, operation_id });
  appendFileSync(log, `${JSON.stringify({ operation_id, tool, args, code: answer.ok ? null : answer.error.code })}\n`);
}
await client.close();
