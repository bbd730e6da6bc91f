import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callAs, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, POLICY, scratchPlan } from "../testing/scratch-kernel.ts";

/** Logs its start, and ends when its own file appears beside the worktrees. */
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: wait, cmd: [sh, -c, 'id=$(basename "$PWD"); echo $id >> ../../started; while [ ! -e ../../end-$id ]; do sleep 0.02; done'] }]
      full: [{ name: none, cmd: ["true"] }]
`;

test("[FEA-123] no more than max_parallel_gate_runs gates of all features run at once; the others wait in order", async () => {
  const scratch = await openScratchKernel({
    "slipway/gates.yaml": GATES,
    "slipway/policy.yaml": POLICY.replace("supervisor: {", "supervisor: { max_parallel_gate_runs: 2,"),
  });
  const started = () => {
    const file = join(scratch.root, "started");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  const ids = ["f1", "f2", "f3", "f4"];
  for (const [index, id] of ids.entries()) {
    await lettersOn(scratch).init(id);
    const files = { create: [`src/${id}.txt`], modify: [], delete: [] };
    await scratch.kernel.features.submitPlan(callAs(), {
      feature_id: id,
      plan_json: scratchPlan(id, { files, summary: `feature ${index}` }),
    });
  }
  // Each call arrives before the next.
  const running: Promise<unknown>[] = [];
  for (const feature_id of ids) {
    running.push(scratch.kernel.features.runGates(callAs(), { feature_id, mode: "fast" }));
    const busy = Math.min(running.length, 2);
    await expect.poll(() => started().length, { timeout: 10_000 }).toBe(busy);
  }
  const order = [...started()];
  for (const id of ids) {
    scratch.write(`end-${id}`, "");
    const next = ids[order.length];
    if (next === undefined) continue;
    await expect.poll(() => started().length, { timeout: 10_000 }).toBe(order.length + 1);
    expect(started().at(-1)).toBe(next);
    order.push(next);
  }
  await Promise.all(running);
  expect(started().toSorted()).toEqual(ids);
  await scratch.close();
});
