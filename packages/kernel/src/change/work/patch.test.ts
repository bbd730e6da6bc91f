import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const open = async (files?: Record<string, string>) => {
  scratch = await openScratchKernel(files);
  feature = lettersOn(scratch);
};
const reopen = async (policy: string, files: Record<string, string> = {}) => {
  await scratch.close();
  await open({ "slipway/policy.yaml": policy, ...files });
};
beforeEach(() => open());
afterEach(() => scratch.close());

const TWO = replaceLine("src/a.txt", "one", "two");
const patch = (unified_diff: string, call = callAs()) => scratch.kernel.features.applyPatch(call, { ...LETTERS, unified_diff });
const status = () => scratch.git("-C", ".worktrees/letters", "status", "--porcelain", "--untracked-files=all");
const refs = () => scratch.git("for-each-ref", "--format=%(refname) %(objectname)");

/** Everything that a refused patch must not change. */
const standing = async () => ({
  row: await feature.row(),
  qa: await scratch.kernel.features.qaIndex("letters"),
  status: status(),
  files: [feature.file("src/a.txt"), feature.file("src/b.txt")],
});

describe("a patch is refused", () => {
  test("[FEA-079] without an accepted plan, unless the policy allows it", async () => {
    await feature.init();
    await expect(patch(TWO)).rejects.toMatchObject({ code: "plan_not_found" });
    await reopen(POLICY.replace("enforce_plan: true", "enforce_plan: false"));
    await feature.init();
    expect((await patch(TWO)).changed).toEqual([{ path: "src/a.txt", status: "M" }]);
  });

  test.each([
    ["modifies a file outside the plan", replaceLine("src/b.txt", "one", "two"), "src/b.txt", "not_in_files_modify"],
    ["creates a file outside the plan", addFile("src/other.txt", "x"), "src/other.txt", "not_in_files_create"],
    [
      "deletes a file that the plan only modifies",
      "diff --git a/src/a.txt b/src/a.txt\ndeleted file mode 100644\n--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
      "src/a.txt",
      "not_in_files_delete",
    ],
    ["is outside the allowed areas", addFile("other.txt", "x"), "other.txt", "outside_allowed_areas"],
    ["is good in one file and bad in another", TWO + replaceLine("src/b.txt", "one", "two"), "src/b.txt", "not_in_files_modify"],
  ])("[FEA-080] [FEA-082] one that %s, with path and rule, and nothing of it remains", async (_what, diff, path, rule) => {
    await feature.planned();
    const before = { ...(await standing()), refs: refs() };
    await expect(patch(diff)).rejects.toMatchObject({
      code: "policy_violation",
      details: { violations: expect.arrayContaining([expect.objectContaining({ path, rule })]) },
    });
    expect({ ...(await standing()), refs: refs() }).toEqual(before);
  });

  test("[FEA-080] areas and lists only apply if the policy enforces them", async () => {
    await reopen(POLICY.replace("enforce_plan: true, enforce_allowed_areas: true", "enforce_plan: false, enforce_allowed_areas: false"));
    await feature.planned();
    await patch(addFile("other.txt", "x") + replaceLine("src/b.txt", "one", "two"));
    expect([scratch.read(".worktrees/letters/other.txt"), feature.file("src/b.txt")]).toEqual(["x\n", "two\n"]);
  });

  test("[FEA-081] forbidden areas always, protected ones and contract paths without their lock", async () => {
    const files = { create: [], modify: ["src/a.txt", "src/b.txt", "api/openapi.yaml"], delete: [] };
    const locked = POLICY.replace(
      "resources: [openapi, events, db_migrations]",
      'resources: [openapi, events, db_migrations, "protected:src/b.txt"]',
    )
      .replace("protected_areas: [slipway]", "protected_areas: [slipway, src/b.txt]")
      .replace("lease_ttl_seconds: 60", "lease_ttl_seconds: 60\n  path_resources: { api: openapi }");
    await reopen(locked, { "api/openapi.yaml": "one\n", "src/c/d.txt": "one\n" });
    await feature.init();
    const acquire = (resource: string) => scratch.kernel.features.acquireLock(callAs(), { ...LETTERS, resource });
    const release = (resource: string) => scratch.kernel.features.releaseLock(callAs(), { ...LETTERS, resource });
    for (const resource of ["openapi", "protected:src/b.txt"]) await acquire(resource);
    const plan_json = scratchPlan("letters", { files, allowed_areas: ["src", "api"], forbidden_areas: ["src/c"] });
    await scratch.kernel.features.submitPlan(callAs(), { ...LETTERS, plan_json });
    await expect(patch(replaceLine("src/c/d.txt", "one", "two"))).rejects.toMatchObject({
      code: "policy_violation",
      details: { violations: expect.arrayContaining([expect.objectContaining({ rule: "forbidden_area" })]) },
    });
    for (const [path, resource] of [
      ["src/b.txt", "protected:src/b.txt"],
      ["api/openapi.yaml", "openapi"],
    ] as const) {
      await release(resource);
      await expect(patch(replaceLine(path, "one", "two"))).rejects.toMatchObject({
        code: "lock_not_held",
        details: { resources: [resource] },
      });
      await acquire(resource);
      expect((await patch(replaceLine(path, "one", "two"))).changed).toEqual([{ path, status: "M" }]);
    }
  });

  test.each([
    ["climbs out", addFile("../outside.txt", "x")],
    ["climbs out further in", addFile("src/../../outside.txt", "x")],
    ["is absolute", addFile("x", "x").replace("+++ b/x", "+++ /tmp/x")],
    ["reaches .git", addFile(".git/hooks/post-commit", "x")],
    ["reaches .git under another name", addFile("src/.GIT/config", "x")],
    ["goes through a link that leaves the tree", addFile("out/x.txt", "x")],
    ["goes through a link that stays", addFile("in/x.txt", "x")],
  ])("[FEA-051] a path that %s is out of bounds", async (_what, diff) => {
    await scratch.close();
    scratch = await openScratchKernel();
    feature = lettersOn(scratch);
    symlinkSync("/tmp", join(scratch.root, "out"));
    symlinkSync("src", join(scratch.root, "in"));
    scratch.git("add", "--all");
    scratch.git("commit", "--quiet", "--message=links");
    await feature.planned({ allowed_areas: ["src", "out", "in"] });
    const before = await standing();
    await expect(patch(diff)).rejects.toMatchObject({ code: "path_out_of_bounds" });
    expect(await standing()).toEqual(before);
  });

  test("[FEA-051] [FEA-081] no patch creates a link that a later patch could follow", async () => {
    await feature.planned({ allowed_areas: ["src"], files: { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] } });
    const link =
      "diff --git a/src/new.txt b/src/new.txt\nnew file mode 120000\n--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\n";
    await expect(patch(link)).rejects.toMatchObject({
      code: "patch_rejected",
      details: { offences: [{ path: "src/new.txt", rule: "symlink" }] },
    });
    await expect(patch(addFile("src/new.txt/x", "x"))).rejects.toMatchObject({ code: "policy_violation" });
  });

  test("[FEA-053] a rename is judged at both ends, and a change of mode like any other", async () => {
    const files = { create: ["src/new.txt"], modify: ["src/b.txt"], delete: ["src/a.txt"] };
    await feature.planned({ files, forbidden_areas: ["src/dark"] });
    const rename = (from: string, to: string) =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;
    const refusedFor = (diff: string, path: string) =>
      expect(patch(diff)).rejects.toMatchObject({
        code: "policy_violation",
        details: { violations: expect.arrayContaining([expect.objectContaining({ path })]) },
      });
    await refusedFor(rename("src/a.txt", "src/dark/a.txt"), "src/dark/a.txt");
    await refusedFor(rename("src/b.txt", "src/new.txt"), "src/b.txt");
    await refusedFor("diff --git a/src/a.txt b/src/a.txt\nold mode 100644\nnew mode 100755\n", "src/a.txt");
    await refusedFor(
      "diff --git a/src/a.txt b/src/dark/c.txt\nsimilarity index 100%\ncopy from src/a.txt\ncopy to src/dark/c.txt\n",
      "src/dark/c.txt",
    );
    await refusedFor(rename("src/a.txt", "src/new.txt").replaceAll("rename", "copy").replaceAll("src/a.txt", "check.sh"), "check.sh");
    expect((await patch(rename("src/a.txt", "src/new.txt"))).changed).toEqual([
      { path: "src/a.txt", status: "D" },
      { path: "src/new.txt", status: "A" },
    ]);
  });

  test("[FEA-082] one that does not apply changes nothing", async () => {
    await feature.planned();
    await patch(TWO);
    const before = await standing();
    await expect(patch(TWO)).rejects.toMatchObject({ code: "patch_apply_failed" });
    expect(await standing()).toEqual(before);
  });

  test("for an ended feature", async () => {
    await feature.planned();
    await scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "failed", reason: "given up" });
    await expect(patch(TWO)).rejects.toMatchObject({ code: "invalid_status_transition", details: { from: "failed" } });
  });

  test("[FEA-017] from a role that may not change files", async () => {
    await feature.planned();
    for (const role of ["planner", "orchestrator", "person"] as const)
      await expect(patch(TWO, callAs(role))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    for (const role of ["builder", "qa"] as const) await patch(role === "qa" ? replaceLine("src/a.txt", "two", "one") : TWO, callAs(role));
  });
});

describe("an accepted patch", () => {
  test("[FEA-005] [FEA-082] is in the files, not on the base; the answer has git's status and every changed file", async () => {
    await feature.planned();
    const base = scratch.git("rev-parse", "main", "HEAD");
    await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
    const applied = await patch(TWO + addFile("src/new.txt", "three"));
    expect(applied.changed).toEqual([
      { path: "src/a.txt", status: "M" },
      { path: "src/new.txt", status: "A" },
    ]);
    expect(applied.porcelain).toBe(status());
    expect([feature.file("src/a.txt"), feature.file("src/new.txt")]).toEqual(["two\n", "three\n"]);
    expect(scratch.git("rev-parse", "main", "HEAD")).toBe(base);
    // Results of the old tree no longer count.
    expect(await feature.row()).toMatchObject({ tree: applied.tree, gates: '{"plan":"pass"}' });
    expect(scratch.git("rev-parse", `${applied.anchor}^{tree}`).trim()).toBe(applied.tree);
  });

  test("may revert the one before; then the feature has no change", async () => {
    await feature.planned();
    await patch(TWO);
    expect(await patch(replaceLine("src/a.txt", "two", "one"))).toMatchObject({ empty: true, porcelain: "" });
  });

  test("the same operation twice is applied once", async () => {
    await feature.planned();
    const call = callAs();
    const first = await patch(TWO, call);
    expect(await patch(TWO, call)).toEqual(first);
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("unknown edits in the worktree stop it: they are anchored and stay until a person decides", async () => {
    await feature.planned();
    scratch.write(".worktrees/letters/src/b.txt", "edited by hand\n");
    scratch.write(".worktrees/letters/stray.txt", "stray\n");
    await expect(patch(TWO)).rejects.toMatchObject({ code: "worktree_edited", details: { outside_plan: ["src/b.txt", "stray.txt"] } });
    expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["one\n", "edited by hand\n"]);
    const kept = scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
    const found = kept.filter((ref) => scratch.git("ls-tree", "-r", "--name-only", ref).includes("stray.txt"));
    expect(scratch.git("show", `${found[0]}:src/b.txt`)).toBe("edited by hand\n");
  });

  test("attack 40: a deleted worktree is rebuilt from the record", async () => {
    await feature.planned();
    await patch(TWO);
    rmSync(join(scratch.root, ".worktrees/letters"), { recursive: true });
    await patch(addFile("src/new.txt", "three"));
    expect([feature.file("src/a.txt"), feature.file("src/new.txt")]).toEqual(["two\n", "three\n"]);
  });

  test("binary files and modes are applied byte for byte", async () => {
    const files = { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] };
    await feature.planned({ files });
    const bytes = Buffer.from([0, 1, 2, 255, 10]);
    const other = join(scratch.root, "..", "other");
    scratch.git("clone", "--quiet", scratch.root, other);
    writeFileSync(join(other, "src/new.txt"), bytes);
    chmodSync(join(other, "src/new.txt"), 0o755);
    scratch.git("-C", other, "add", "--all");
    const applied = await patch(scratch.git("-C", other, "diff", "--cached", "--binary"));
    expect(applied.flags).toMatchObject({ binary: ["src/new.txt"], executable: ["src/new.txt"] });
    expect(readFileSync(join(scratch.root, ".worktrees/letters/src/new.txt"))).toEqual(bytes);
    expect(applied.porcelain).toBe(status());
  });
});
