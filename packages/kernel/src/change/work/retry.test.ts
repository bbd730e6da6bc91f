import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RetryPhase } from "./retry-rules.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const features = () => scratch.kernel.features;
const fail = () => features().changeStatus(callAs(), { ...LETTERS, to: "failed", reason: "gave up" });
const retry = (from: RetryPhase) => features().retry(callAs(), { ...LETTERS, run_id: "run2", from });
const gate = (mode: string) => features().runGates(callAs(), { ...LETTERS, mode });
const facts = () => features().retryFacts("letters");
const gates = async () => JSON.parse((await feature.row()).gates) as Record<string, string>;
const treeOf = (name: string) => scratch.git("rev-parse", `${name}^{tree}`).trim();
const moveMain = () => {
  scratch.write("src/b.txt", "moved\n");
  scratch.git("commit", "--quiet", "--all", "--message=theirs");
  return scratch.git("rev-parse", "main").trim();
};
/** Another feature that plans the same file. */
async function rival(plan: Record<string, unknown> = {}) {
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Rival\n"));
  await features().init(callAs(), { feature_id: "rival", run_id: "run1", spec_source: "rival.md", spec_digest });
  return features().submitPlan(callAs(), { feature_id: "rival", plan_json: scratchPlan("rival", plan) });
}
const lockHolder = async () =>
  (await scratch.records.database.db.selectFrom("locks").select("holder").where("resource", "=", "openapi").executeTakeFirst())?.holder;

test("the reusable results grow with the plan, the patch and the gates that passed on exactly its tree", async () => {
  await feature.init();
  expect(await facts()).toEqual({ plan: null, tree: null, missingModes: ["fast", "full"], untested: 0 });
  await features().submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters") });
  await gate("fast");
  expect(await facts()).toMatchObject({ plan: 1, tree: null, missingModes: ["full"] });
  await features().applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "two") });
  const { tree } = await feature.row();
  expect(await facts()).toEqual({ plan: 1, tree, missingModes: ["fast", "full"], untested: 1 });
  await gate("full");
  expect(await facts()).toMatchObject({ missingModes: ["fast"] });
});

describe("an ended feature is reopened", () => {
  test("from build: plan, tree and base are kept, and the gates must run again", async () => {
    await feature.built();
    await gate("fast");
    const before = await feature.row();
    await fail();
    moveMain();
    const { tree, base_commit } = before;
    expect(await retry("build")).toEqual({ base: base_commit, tree, plan_version: 1 });
    expect(await feature.row()).toMatchObject({
      status: "building",
      status_reason: "retried from build",
      run_id: "run2",
      tree,
      base_commit,
    });
    expect(await gates()).toEqual({ plan: "pass" });
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("from land: gate results are kept, too", async () => {
    await feature.built();
    for (const mode of ["fast", "full"]) await gate(mode);
    await fail();
    await retry("land");
    expect((await feature.row()).status).toBe("qa");
    expect(await gates()).toMatchObject({ plan: "pass", fast: "pass", full: "pass" });
  });

  test("from plan: it starts on the current base, others may plan its files, and the old tree stays reachable", async () => {
    await feature.built();
    const { tree } = await feature.row();
    await fail();
    const base = moveMain();
    expect(await retry("plan")).toEqual({ base, tree: treeOf("main"), plan_version: 1 });
    expect(await feature.row()).toMatchObject({ status: "planning", base_commit: base, tree: treeOf("main") });
    expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["one\n", "moved\n"]);
    expect(scratch.git("for-each-ref", "--format=%(tree)", "refs/slipway")).toContain(tree);
    expect((await features().qaIndex("letters")).pending).toEqual([]);
    await rival();
  });

  test("without a built tree it starts on the current base, with its plan", async () => {
    await feature.planned();
    await fail();
    const base = moveMain();
    expect(await retry("build")).toEqual({ base, tree: treeOf("main"), plan_version: 1 });
    await expect(rival()).rejects.toThrow("src/a.txt");
  });

  test("missing worktree, folder and branch are recreated with the built tree", async () => {
    await feature.built();
    await fail();
    scratch.git("worktree", "remove", "--force", ".worktrees/letters");
    scratch.git("branch", "-D", "letters");
    rmSync(join(scratch.root, ".slipway/features/letters"), { recursive: true });
    await retry("build");
    expect(feature.file("src/a.txt")).toBe("two\n");
    expect(scratch.read(".slipway/features/letters/spec.md")).toBe("# Letters\n");
    expect(await gate("fast")).toMatchObject({ passed: true });
  });

  test("if the objects of its tree are lost, it is built again on the base", async () => {
    await feature.built();
    await fail();
    scratch.git("worktree", "remove", "--force", ".worktrees/letters");
    for (const ref of scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n"))
      scratch.git("update-ref", "-d", ref);
    scratch.git("prune", "--expire=now");
    expect(await facts()).toMatchObject({ plan: 1, tree: null });
    expect(await retry("build")).toMatchObject({ tree: treeOf("main"), plan_version: 1 });
    expect(feature.file("src/a.txt")).toBe("one\n");
  });

  test("also if its run ended in the middle of the work", async () => {
    await feature.built();
    await retry("build");
    expect(await feature.row()).toMatchObject({ status: "building", run_id: "run2" });
  });

  test("before it had a plan: it is planned for the first time", async () => {
    await feature.init();
    await fail();
    expect(await retry("plan")).toMatchObject({ plan_version: null });
    await features().submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters") });
  });

  test("with the locks that its plan needs", async () => {
    await feature.init();
    await features().acquireLocks(callAs(), { ...LETTERS, resources: ["openapi"] });
    const contracts = { openapi: "modify", events: "none", db: "none" };
    await features().submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters", { contracts }) });
    await fail();
    expect(await lockHolder()).toBeNull();
    await retry("build");
    expect(await lockHolder()).toBe("letters");
  });
});

describe("a retry is refused, and changes nothing,", () => {
  const refused = async (from: RetryPhase, expected: Record<string, unknown>) => {
    const before = await feature.row();
    await expect(retry(from)).rejects.toMatchObject(expected);
    expect(await feature.row()).toEqual(before);
  };

  test("if another feature has planned the same since, with the command to plan again", async () => {
    await feature.built();
    await fail();
    await rival();
    await refused("build", {
      code: "collision_detected",
      message: expect.stringContaining('The plan of "letters" is no longer valid.') as string,
      details: {
        suggested_next_actions: expect.arrayContaining([expect.stringContaining("slipway retry letters --from plan")]) as string[],
      },
    });
    await retry("plan");
  });

  test("for a merged feature", async () => {
    const candidate = await feature.ready();
    await features().merge(callAs(), { ...LETTERS, user_approval_token: scratch.sign(candidate) });
    await refused("plan", { code: "invalid_status_transition", message: '"letters" is merged; there is nothing to retry.' });
  });

  test("while a person's edits are in the worktree", async () => {
    await feature.built();
    await fail();
    scratch.write(".worktrees/letters/src/a.txt", "by hand\n");
    await refused("plan", { code: "worktree_edited" });
    expect(feature.file("src/a.txt")).toBe("by hand\n");
  });
});
