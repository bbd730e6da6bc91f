import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../../testing/letters.ts";
import { openScratchKernel, POLICY, replaceLine, scratchPlan, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import { findFeature } from "../../feature/store.ts";

/** With real worktrees, gates and merges. */
let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel({ "slipway/policy.yaml": `${POLICY}collision_policy: block\n` });
});
afterEach(() => scratch.close());

const other = () => findFeature(scratch.records.database.db, "other");
const submitOther = (contracts: object = {}) =>
  scratch.kernel.features.submitPlan(callAs(), {
    feature_id: "other",
    plan_json: scratchPlan("other", {
      files: { create: [], modify: ["src/a.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "none", ...contracts },
    }),
  });

test("[FEA-108] a merge reconsiders the plan that waited for it, in the merge's own transaction", async () => {
  const letters = lettersOn(scratch);
  const candidate = await letters.ready();
  await letters.init("other");
  await expect(submitOther()).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
  expect(scratch.read(".slipway/features/other/state.md")).toContain("status: blocked");
  await scratch.kernel.features.merge(callAs(), { ...LETTERS, user_approval_token: scratch.sign(candidate) });
  expect(await other()).toMatchObject({ status: "building" });
  expect(scratch.read(".slipway/features/other/state.md")).toContain("status: building");
  expect(existsSync(join(scratch.root, ".slipway/features/other/plan.json"))).toBe(true);
  expect(await scratch.kernel.features.index()).toMatchObject({ active: ["other"], merged: ["letters"], blocked: [], blocked_queue: [] });
});

test("[FEA-108] [FEA-170] so does a deletion, which removes plan, locks and queue entry of its own feature", async () => {
  const letters = lettersOn(scratch);
  await letters.init();
  await scratch.kernel.features.acquireLocks(callAs(), { ...LETTERS, resources: ["openapi"] });
  await letters.planned({ contracts: { openapi: "modify", events: "none", db: "none" } });
  await letters.init("other");
  await expect(submitOther({ openapi: "modify" })).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
  await scratch.kernel.features.delete(callAs(), { ...LETTERS, force: true });
  expect(await other()).toMatchObject({ status: "building" });
  expect(await scratch.kernel.features.index()).toMatchObject({ active: ["other"], locks: { openapi: "other" }, blocked_queue: [] });
  expect(await scratch.records.database.db.selectFrom("plan_claims").select("feature_id").distinct().execute()).toEqual([
    { feature_id: "other" },
  ]);
});

test("[FEA-076] after an update the worktree is unchanged, and the next patch is judged by the new plan only", async () => {
  const letters = lettersOn(scratch);
  await letters.built();
  const { tree } = await letters.row();
  const patch = (path: string) =>
    scratch.kernel.features.applyPatch(callAs(), {
      ...LETTERS,
      unified_diff: replaceLine(path, path === "src/a.txt" ? "two" : "one", "three"),
    });
  await expect(patch("src/b.txt")).rejects.toMatchObject({ code: "policy_violation" });
  const revision = { plan_version: 2, revision_of: 1, files: { create: [], modify: ["src/b.txt"], delete: [] } };
  const plan_json = scratchPlan("letters", revision);
  await scratch.kernel.features.updatePlan(callAs(), { ...LETTERS, expected_plan_version: 1, plan_json });
  expect((await letters.row()).tree).toBe(tree);
  expect(letters.file("src/a.txt")).toBe("two\n");
  await patch("src/b.txt");
  await expect(patch("src/a.txt")).rejects.toMatchObject({ code: "policy_violation" });
});
