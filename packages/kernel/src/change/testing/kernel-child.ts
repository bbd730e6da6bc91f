/** A process with its own kernel on a folder that others use too. Reads one JSON call per line and answers each with a line. */
import { createInterface } from "node:readline";
import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { lostLocks } from "../turn/locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { findFeature } from "../feature/store.ts";
import { openPlanBench, type PlanBench } from "./plan-bench.ts";

export type ChildCall = { readonly id: string; readonly at: number } & (
  | { readonly open: string }
  | { readonly acquire: string; readonly resources: readonly string[] }
  | { readonly release: string; readonly resource: string }
  | { readonly write: string; readonly resource: string }
  | { readonly reclaim: true }
);

/** A write that only the holder of a lock may make. */
const write: Operation<{ feature_id: string; resource: string }, undefined, null> = {
  name: "test.write",
  roles: ["system"],
  input: z.strictObject({ feature_id: z.string(), resource: z.string() }),
  async commit(tx, { feature_id, resource }, _effect, { at }) {
    await findFeature(tx, feature_id);
    if ((await lostLocks(tx, feature_id, [resource], at)).length > 0) throw new SlipwayError("lock_not_held", "lost");
    await tx.insertInto("notes").values({ feature_id, actor_type: "system", actor_id: resource, text: "written", at }).execute();
    return null;
  },
};

let bench: PlanBench | undefined;

async function perform(call: ChildCall): Promise<unknown> {
  if ("open" in call) {
    await bench?.close();
    bench = await openPlanBench({ root: call.open });
    return null;
  }
  if (bench === undefined) throw new Error("nothing is open");
  bench.clock.time = call.at;
  const { features } = bench.kernel;
  const by = { actor: { type: "system", id: "child" } as const, operationId: call.id };
  if ("acquire" in call) return features.acquireLocks(by, { feature_id: call.acquire, resources: [...call.resources] });
  if ("release" in call) return features.releaseLock(by, { feature_id: call.release, resource: call.resource });
  if ("write" in call) return bench.kernel.door.perform(write, by.actor, call.id, { feature_id: call.write, resource: call.resource });
  return features.reclaimStale(by);
}

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as ChildCall;
  const answer = await perform(call).then(
    () => "done",
    (error: unknown) => (error instanceof SlipwayError ? error.code : String(error)),
  );
  process.stdout.write(`${JSON.stringify({ id: call.id, answer })}\n`);
}
await bench?.close();
