import { afterEach, beforeEach, expect, test } from "vitest";
import { callAs as call, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel();
  await lettersOn(scratch).init();
});
afterEach(() => scratch.close());

const row = () => lettersOn(scratch).row();

async function patch(change: Record<string, unknown>, actor?: Parameters<typeof call>[0]) {
  const { version: expectedVersion } = await row();
  return scratch.kernel.features.statePatch({ ...call(actor), expectedVersion }, { feature_id: "letters", patch: change });
}

const illegal = { code: "invalid_status_transition" };
const plan = () => scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") });

test("[FEA-127] any status that has not ended may become blocked, with a reason", async () => {
  await expect(patch({ status: "blocked", status_reason: "" })).rejects.toMatchObject(illegal);
  expect(await patch({ status: "blocked", status_reason: "no lock" })).toMatchObject({ status: "blocked" });
  await patch({ status: "planning", status_reason: "the lock is free" });
  await plan();
  expect(await patch({ status: "blocked", status_reason: "collision" })).toMatchObject({ status: "blocked", status_reason: "collision" });
});

test("[FEA-127] leaving blocked needs a new reason and the conditions of the target status", async () => {
  await patch({ status: "blocked", status_reason: "no lock" });
  await expect(patch({ status: "planning", status_reason: "no lock" })).rejects.toMatchObject(illegal);
  await expect(patch({ status: "building", status_reason: "go" })).rejects.toThrow("no plan has been accepted");
  await expect(patch({ status: "qa", status_reason: "go" })).rejects.toThrow("the fast gates have not passed");
  await expect(patch({ status: "ready_to_merge", status_reason: "go" })).rejects.toMatchObject(illegal);
  await patch({ status: "planning", status_reason: "go" });
  await plan();

  await scratch.kernel.features.applyPatch(call(), { feature_id: "letters", unified_diff: addFile("src/new.txt", "x") });
  await scratch.kernel.features.runGates(call(), { feature_id: "letters", mode: "full" });
  await patch({ status: "blocked", status_reason: "wait" });
  // Full gates do not replace fast gates, and QA cannot be skipped.
  await expect(patch({ status: "qa", status_reason: "on" })).rejects.toMatchObject(illegal);
  await expect(patch({ status: "ready_to_merge", status_reason: "on" })).rejects.toMatchObject(illegal);
  await scratch.kernel.features.runGates(call(), { feature_id: "letters", mode: "fast" });
  expect(await patch({ status: "qa", status_reason: "on" })).toMatchObject({ status: "qa" });
});

test("[FEA-128] only orchestrator and system may set failed, with a reason, and it is final", async () => {
  for (const role of ["planner", "builder", "qa"] as const)
    await expect(patch({ status: "failed", status_reason: "I give up" }, role)).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  await expect(patch({ status: "failed", status_reason: "" })).rejects.toMatchObject(illegal);
  expect(await patch({ status: "failed", status_reason: "cannot be built" }, "orchestrator")).toMatchObject({ status: "failed" });
  for (const status of ["planning", "building", "qa", "blocked", "ready_to_merge", "merged"])
    await expect(patch({ status, status_reason: "again" })).rejects.toMatchObject({ code: "invalid_status_transition" });
  expect((await row()).status).toBe("failed");
});
