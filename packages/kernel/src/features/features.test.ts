import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeBetween } from "../git/change.ts";
import { addFile, openScratchKernel, PERSON, replaceLine, scratchPlan, type ScratchKernel } from "./testing/scratch-kernel.ts";
import { findFeature } from "./store.ts";

let scratch: ScratchKernel;
let number = 0;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

const call = (operationId = `op${(number += 1)}`) => ({ actor: { type: "system", id: "test" } as const, operationId });
const row = () => findFeature(scratch.records.database.db, "letters");
const file = (name: string) => scratch.read(`.worktrees/letters/${name}`);

async function init() {
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Letters\n"));
  return scratch.kernel.features.init(call(), { feature_id: "letters", run_id: "run1", spec_source: "letters.md", spec_digest });
}

async function planned(changes: Record<string, unknown> = {}) {
  await init();
  return scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters", changes) });
}

const patch = (unified_diff: string, operationId?: string) =>
  scratch.kernel.features.applyPatch(call(operationId), { feature_id: "letters", unified_diff });
const gates = (mode: string) => scratch.kernel.features.runGates(call(), { feature_id: "letters", mode });
const become = (to: "qa" | "ready_to_merge" | "blocked" | "failed" | "merged" | "building", reason = "because") =>
  scratch.kernel.features.changeStatus(call(), { feature_id: "letters", to, reason });

async function ready() {
  await planned();
  await patch(replaceLine("src/a.txt", "one", "two"));
  await gates("fast");
  await become("qa");
  await gates("full");
  await become("ready_to_merge");
  return scratch.kernel.features.candidate(call(), { feature_id: "letters" });
}

const merge = (user_approval_token: string, more: Record<string, unknown> = {}, operationId?: string) =>
  scratch.kernel.features.merge(call(operationId), { feature_id: "letters", user_approval_token, ...more });

describe("init", () => {
  test("makes folder, branch and worktree, and leaves the user's checkout alone", async () => {
    const feature = await init();
    expect(feature).toMatchObject({
      status: "planning",
      version: 1,
      branch: "letters",
      gates: "{}",
      base_commit: scratch.git("rev-parse", "main").trim(),
    });
    expect(file("src/a.txt")).toBe("one\n");
    expect(scratch.read(".slipway/features/letters/spec.md")).toBe("# Letters\n");
    expect(scratch.git("symbolic-ref", "HEAD").trim()).toBe("refs/heads/main");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("[FEA-159] a specification that already stands in the feature's folder is left as it is", async () => {
    const path = join(scratch.root, ".slipway/features/letters/spec.md");
    scratch.write(".slipway/features/letters/spec.md", "# Letters\n");
    const { ino } = statSync(path);
    await init();
    expect(statSync(path).ino).toBe(ino);
  });

  test("a second call changes nothing, not even what was built in between", async () => {
    await planned();
    await patch(replaceLine("src/a.txt", "one", "two"));
    const before = await row();
    expect(await init()).toEqual(before);
    expect(file("src/a.txt")).toBe("two\n");
  });
});

describe("plans", () => {
  test("[FEA-075] acceptance stores the plan, passes its gate and starts building at once; a second plan is refused", async () => {
    const plan = await planned();
    expect(plan.gate_profile).toBe("default");
    expect(await row()).toMatchObject({ status: "building", gates: '{"plan":"pass"}' });
    await expect(
      scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") }),
    ).rejects.toMatchObject({
      code: "version_conflict",
      details: { suggested_next_actions: [expect.stringContaining("plan.update")] },
    });
  });

  test.each([
    ["not valid", { summary: "no" }, "schema_validation_failed"],
    [
      "for a protected area",
      { files: { create: [], modify: ["slipway/gates.yaml"], delete: [] }, allowed_areas: ["slipway"] },
      "lock_not_held",
    ],
    ["for a contract without its lock", { contracts: { openapi: "modify", events: "none", db: "none" } }, "lock_not_held"],
    ["that creates what is there", { files: { create: ["src/a.txt"], modify: [], delete: [] } }, "policy_violation"],
    ["of another feature", { feature_id: "other" }, "policy_violation"],
  ])("a plan %s changes nothing", async (_what, changes, code) => {
    await expect(planned(changes)).rejects.toMatchObject({ code });
    expect(await row()).toMatchObject({ status: "planning", version: 1, gates: "{}" });
    expect(existsSync(join(scratch.root, ".slipway/features/letters/plan.json"))).toBe(false);
  });
});

describe("patches", () => {
  test("without an accepted plan nothing may be changed", async () => {
    await init();
    await expect(patch(replaceLine("src/a.txt", "one", "two"))).rejects.toMatchObject({ code: "plan_not_found" });
  });

  test.each([
    ["outside the plan", replaceLine("src/b.txt", "one", "two"), "policy_violation"],
    ["outside its areas", addFile("other.txt", "x"), "policy_violation"],
    ["that does not apply", replaceLine("src/a.txt", "nine", "two"), "patch_apply_failed"],
    ["with one good and one bad file", replaceLine("src/a.txt", "one", "two") + replaceLine("src/b.txt", "one", "two"), "policy_violation"],
    ["that escapes", addFile("../outside.txt", "x"), expect.stringMatching(/patch_rejected|patch_apply_failed|path_out_of_bounds/)],
  ])("a patch %s leaves worktree and version as they were", async (_what, diff, code) => {
    await planned();
    const before = await row();
    await expect(patch(diff)).rejects.toMatchObject({ code });
    expect(await row()).toEqual(before);
    expect([file("src/a.txt"), file("src/b.txt")]).toEqual(["one\n", "one\n"]);
  });

  test("an accepted one is in the worktree, in the row and under an anchor; results of the old tree are void", async () => {
    await planned();
    await gates("fast");
    const applied = await patch(replaceLine("src/a.txt", "one", "two"));
    expect(applied.changed).toEqual([{ path: "src/a.txt", status: "M" }]);
    expect(await row()).toMatchObject({ tree: applied.tree, gates: '{"plan":"pass"}' });
    expect(scratch.git("rev-parse", `${applied.anchor}^{tree}`).trim()).toBe(applied.tree);
    expect(file("src/a.txt")).toBe("two\n");
  });

  test("the same operation twice applies once", async () => {
    await planned();
    const first = await patch(replaceLine("src/a.txt", "one", "two"), "the-same");
    expect(await patch(replaceLine("src/a.txt", "one", "two"), "the-same")).toEqual(first);
    expect(file("src/a.txt")).toBe("two\n");
  });

  test("bytes that somebody left in the worktree are kept under an anchor, not lost and not merged", async () => {
    await planned();
    scratch.write(".worktrees/letters/src/b.txt", "edited by hand\n");
    scratch.write(".worktrees/letters/stray.txt", "stray\n");
    await patch(replaceLine("src/a.txt", "one", "two"));
    expect([file("src/a.txt"), file("src/b.txt")]).toEqual(["two\n", "one\n"]);
    expect(existsSync(join(scratch.root, ".worktrees/letters/stray.txt"))).toBe(false);
    const kept = scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
    const found = kept.filter((ref) => scratch.git("ls-tree", "-r", "--name-only", ref).includes("stray.txt"));
    expect(scratch.git("show", `${found[0]}:src/b.txt`)).toBe("edited by hand\n");
  });

  test("attack 40: a deleted worktree is rebuilt from what was acknowledged", async () => {
    await planned();
    await patch(replaceLine("src/a.txt", "one", "two"));
    rmSync(join(scratch.root, ".worktrees/letters"), { recursive: true });
    await patch(addFile("src/new.txt", "three"));
    expect([file("src/a.txt"), file("src/new.txt")]).toEqual(["two\n", "three\n"]);
  });
});

describe("gates", () => {
  test("[FEA-125] building → qa → ready_to_merge only with the kernel's own records of passed gates on the current tree", async () => {
    await init();
    await expect(become("building")).rejects.toMatchObject({ code: "invalid_status_transition" });
    await scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters") });
    await expect(become("qa")).rejects.toMatchObject({ code: "invalid_status_transition" });
    await gates("fast");
    await patch(replaceLine("src/a.txt", "one", "two"));
    await expect(become("qa")).rejects.toThrow("fast gates have not passed on the current tree");
    await gates("fast");
    await become("qa");
    await expect(become("ready_to_merge")).rejects.toThrow("full gates have not passed on the current tree");
    await gates("full");
    expect((await become("ready_to_merge")).status).toBe("ready_to_merge");
  });

  test("a failure is a result: recorded with its log, the feature stays where it is, and leftovers do not become part of it", async () => {
    await planned();
    await patch(replaceLine("src/a.txt", "one", "BUG"));
    const { tree } = await row();
    const summary = await gates("fast");
    expect(summary).toMatchObject({
      passed: false,
      tree,
      failure: { code: "gate_failed" },
      steps: [{ name: "check", status: "fail", exit_code: 1 }],
    });
    expect(await row()).toMatchObject({ status: "building", tree, gates: expect.stringContaining('"fast":"fail"') });
    expect(await scratch.kernel.features.lastFailedLog("letters")).toContain("src/a.txt:1:BUG");
    expect(existsSync(join(scratch.root, ".worktrees/letters/leftover.txt"))).toBe(false);
  });

  test("an unknown mode is refused before anything starts", async () => {
    await planned();
    await expect(gates("slow")).rejects.toMatchObject({ code: "unknown_gate_profile_or_mode" });
  });

  test("a gate that is stopped is not a result", async () => {
    await planned();
    const stop = AbortSignal.abort();
    await expect(scratch.kernel.features.runGates(call(), { feature_id: "letters", mode: "fast" }, stop)).rejects.toMatchObject({
      code: "run_stopped",
    });
    expect((await row()).gates).toBe('{"plan":"pass"}');
  });
});

describe("merge", () => {
  test.each(["merge_commit", "squash", "rebase"] as const)("[FEA-088] %s lands exactly the gated tree, once", async (merge_strategy) => {
    const candidate = await ready();
    const before = scratch.git("rev-parse", "main").trim();
    const token = scratch.sign(candidate);
    const landing = await merge(token, { merge_strategy, commit_message: "Letters" }, "the-merge");
    expect(landing).toMatchObject({ tree: candidate.tree, base_before: before, approved_by: "kim", checkout_updated: true });
    const parents = scratch.git("log", "-1", "--format=%P", "main").trim().split(" ");
    expect(parents).toEqual(merge_strategy === "merge_commit" ? [before, landing.feature_commit] : [before]);
    expect(scratch.git("log", "-1", "--format=%s", landing.feature_commit).trim()).toBe("Letters");
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain")).toBe("");
    expect(await merge(token, { merge_strategy, commit_message: "Letters" }, "the-merge")).toEqual(landing);
    await expect(merge(token)).rejects.toMatchObject({ code: "invalid_status_transition" });
    expect(scratch.git("rev-parse", "main").trim()).toBe(landing.commit);
  });

  test("a strategy the policy does not allow is refused", async () => {
    const candidate = await ready();
    await expect(merge(scratch.sign(candidate), { merge_strategy: "octopus" })).rejects.toMatchObject({ code: "schema_validation_failed" });
  });

  test.each([
    ["missing", () => ""],
    ["not a token", () => "yes please"],
    ["for another feature", (facts: Record<string, string>) => scratch.sign({ ...facts, feature_id: "other" } as never)],
    ["for another change", (facts: Record<string, string>) => scratch.sign({ ...facts, change: "0".repeat(64) } as never)],
    ["for another tree", (facts: Record<string, string>) => scratch.sign({ ...facts, tree: "0".repeat(40) } as never)],
    ["under another policy", (facts: Record<string, string>) => scratch.sign({ ...facts, policy_hash: "other" } as never)],
    ["signed by somebody else", (facts: Record<string, string>) => scratch.sign(facts as never).replace(/.{8}$/, "AAAAAAAA")],
  ])("attack 47: an approval that is %s merges nothing", async (_what, token) => {
    const candidate = await ready();
    const before = scratch.git("rev-parse", "main");
    await expect(merge(token(candidate as never))).rejects.toMatchObject({ code: "user_approval_required" });
    expect(scratch.git("rev-parse", "main")).toBe(before);
    expect((await row()).status).toBe("ready_to_merge");
  });

  test("bytes that changed after the gate do not merge with it", async () => {
    const candidate = await ready();
    scratch.write(".worktrees/letters/src/a.txt", "slipped in\n");
    await merge(scratch.sign(candidate));
    expect(scratch.git("show", "main:src/a.txt")).toBe("two\n");
  });

  test("a base that moved is refused, and nothing moves", async () => {
    const candidate = await ready();
    scratch.write("src/b.txt", "theirs\n");
    scratch.git("commit", "--quiet", "--all", "--message=theirs");
    const before = scratch.git("rev-parse", "main");
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "base_moved" });
    expect(scratch.git("rev-parse", "main")).toBe(before);
  });

  test("a lock that was lost stops the merge", async () => {
    await init();
    await scratch.kernel.features.acquireLocks(call(), { feature_id: "letters", resources: ["openapi"] });
    const contracts = { openapi: "modify", events: "none", db: "none" };
    await scratch.kernel.features.submitPlan(call(), { feature_id: "letters", plan_json: scratchPlan("letters", { contracts }) });
    await patch(replaceLine("src/a.txt", "one", "two"));
    await gates("fast");
    await become("qa");
    await gates("full");
    await become("ready_to_merge");
    const candidate = await scratch.kernel.features.candidate(call(), { feature_id: "letters" });
    await scratch.records.database.db.updateTable("locks").set({ expires_at: 0 }).execute();
    await expect(merge(scratch.sign(candidate))).rejects.toMatchObject({ code: "lock_not_held", details: { resources: ["openapi"] } });
  });

  test("[FEA-126] nobody makes a feature merged by saying so", async () => {
    await ready();
    await expect(become("merged")).rejects.toMatchObject({ code: "invalid_status_transition" });
  });

  test("[FEA-048] commit_policy does not govern an approved merge", async () => {
    const candidate = await ready();
    expect(scratch.kernel.configuration.policy.commit_policy).toEqual({ allow_commit: false, allow_merge: false });
    expect((await merge(scratch.sign(candidate))).commit).toBe(scratch.git("rev-parse", "main").trim());
  });
});

describe("a candidate", () => {
  test("names the change, and shows what a person must look at closely", async () => {
    const candidate = await ready();
    const { digest } = await changeBetween(scratch.kernel.repository, candidate.base, candidate.tree);
    expect(candidate).toMatchObject({
      change: digest,
      rebuilt: false,
      conflicts: [],
      empty: false,
      flags: ["gates ran without a sandbox: fast, full"],
    });
    expect(candidate.summary).toContain("src/a.txt");
  });

  test("is rebuilt on a moved base, also when the first attempt died before it was recorded", async () => {
    await ready();
    scratch.write("src/b.txt", "theirs\n");
    scratch.git("commit", "--quiet", "--all", "--message=theirs");
    const first = await scratch.kernel.features.candidate(call(), { feature_id: "letters" });
    expect(first).toMatchObject({ rebuilt: true, base: scratch.git("rev-parse", "main").trim() });
    expect([file("src/a.txt"), file("src/b.txt")]).toEqual(["two\n", "theirs\n"]);
    // As if the process had died between moving the worktree and writing the row.
    const { db } = scratch.records.database;
    const moved = await row();
    const old = scratch.git("rev-parse", "main~1", "main~1^{tree}").trim().split("\n");
    await db
      .updateTable("features")
      .set({ base_commit: old[0]!, tree: scratch.git("rev-parse", `${anchorOf()}^{tree}`).trim() })
      .execute();
    const again = await scratch.kernel.features.candidate(call(), { feature_id: "letters" });
    expect(again.tree).toBe(moved.tree);
    expect(file("src/b.txt")).toBe("theirs\n");
  });

  function anchorOf(): string {
    const refs = scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
    return refs.find((ref) => ref.endsWith("before")) ?? "";
  }
});

test("only the roles that may, may", async () => {
  await init();
  const builder = { actor: { type: "builder", id: "b" } as const, operationId: "x" };
  await expect(scratch.kernel.features.changeStatus(builder, { feature_id: "letters", to: "failed", reason: "r" })).rejects.toMatchObject({
    code: "forbidden_tool_for_role",
  });
  await expect(
    scratch.kernel.features.note({ actor: PERSON, operationId: "y" }, { feature_id: "letters", role: "qa", text: "t" }),
  ).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
});

test("an unknown feature is named", async () => {
  await expect(scratch.kernel.features.context("nobody")).rejects.toMatchObject({
    code: "feature_not_found",
    details: { feature_id: "nobody" },
  });
});
