import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { layoutAt } from "../../host/layout.ts";
import { killAfterEffect } from "../testing/kill-after-effect.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, POLICY, replaceLine, scratchPlan, type ScratchKernel, type ScratchOptions } from "../testing/scratch-kernel.ts";

const BINARY = Buffer.from([0, 1, 2, 255, 10, 0]);
const FILES = { "src/tool.sh": "echo one\n", "src/ünï code.txt": "one\n", "src/deep/gone.txt": "here\n" };
const PLAN = {
  files: {
    create: ["src/new.txt", "src/deep/new.bin"],
    modify: ["src/a.txt", "src/tool.sh", "src/ünï code.txt"],
    delete: ["src/deep/gone.txt"],
  },
};

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
afterEach(() => scratch.close());

const at = (path: string) => join(scratch.root, ".worktrees/letters", path);
const put = (path: string, bytes: Uint8Array | string) => {
  mkdirSync(dirname(join(scratch.root, path)), { recursive: true });
  writeFileSync(join(scratch.root, path), bytes);
};

/** The patch of these edits, made in the checkout and taken back there. */
function patchOf(edit: () => void): string {
  edit();
  scratch.git("add", "--all", "--", "src");
  const patch = scratch.git("diff", "--cached", "--binary", "--full-index");
  scratch.git("reset", "--quiet", "--hard");
  return patch;
}

async function open(options: ScratchOptions = {}, files: Record<string, string> = {}) {
  scratch = await openScratchKernel({ ...FILES, ...files }, options);
  feature = lettersOn(scratch);
  await feature.planned(PLAN);
  await scratch.kernel.features.tagBase(callAs(), { ...LETTERS, tag: "baseline" });
}

async function changed() {
  const unified_diff = patchOf(() => {
    put("src/a.txt", "two\n");
    put("src/new.txt", "new\n");
    put("src/deep/new.bin", BINARY);
    put("src/ünï code.txt", "two\n");
    chmodSync(join(scratch.root, "src/tool.sh"), 0o755);
    rmSync(join(scratch.root, "src/deep/gone.txt"));
  });
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
}

const revert = (files: readonly string[], tag = "baseline", call = callAs()) =>
  scratch.kernel.features.revertFiles(call, { ...LETTERS, files, tag });
const ALL = [...PLAN.files.create, ...PLAN.files.modify, ...PLAN.files.delete];

describe("a revert", () => {
  test("restores content, modes and deleted files, deletes new ones, and the result is the tree of the base", async () => {
    await open();
    await changed();
    expect(readFileSync(at("src/deep/new.bin"))).toEqual(BINARY);
    const reverted = await revert([...ALL, "src/b.txt", "src/never.txt", "src/a.txt"]);
    expect(reverted).toEqual({
      tree: scratch.git("rev-parse", "main^{tree}").trim(),
      restored: ["src/a.txt", "src/tool.sh", "src/ünï code.txt", "src/deep/gone.txt"],
      deleted: ["src/new.txt", "src/deep/new.bin"],
      unchanged: ["src/b.txt", "src/never.txt"],
    });
    expect((await feature.row()).tree).toBe(reverted.tree);
    expect(["src/a.txt", "src/ünï code.txt", "src/deep/gone.txt"].map((path) => readFileSync(at(path), "utf8"))).toEqual([
      "one\n",
      "one\n",
      "here\n",
    ]);
    expect(statSync(at("src/tool.sh")).mode & 0o111).toBe(0);
    expect([existsSync(at("src/new.txt")), existsSync(at("src/deep/new.bin"))]).toEqual([false, false]);
    expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain")).toBe("");
  });

  test("of some files keeps the others, and earlier gate results do not count for the new tree", async () => {
    await open();
    await changed();
    await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
    expect(JSON.stringify(await scratch.kernel.features.qaIndex("letters"))).toContain("src/deep/new.bin");
    expect(JSON.parse((await feature.row()).gates)).toHaveProperty("fast");
    const call = callAs();
    const { tree } = await revert(["src/deep/new.bin"], "baseline", call);
    expect(feature.file("src/a.txt")).toBe("two\n");
    expect(JSON.parse((await feature.row()).gates)).toEqual({ plan: "pass" });
    expect(JSON.stringify(await scratch.kernel.features.qaIndex("letters"))).not.toContain("src/deep/new.bin");
    expect(scratch.git("rev-parse", `refs/slipway/run1/${call.operationId}^{tree}`).trim()).toBe(tree);
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "two", "three") });
    expect(feature.file("src/a.txt")).toBe("three\n");
  });

  test("of unchanged files changes nothing, not even the results of gates", async () => {
    await open();
    await changed();
    await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
    const before = await feature.row();
    expect(await revert(["src/b.txt"])).toEqual({ tree: before.tree, restored: [], deleted: [], unchanged: ["src/b.txt"] });
    expect(await feature.row()).toEqual(before);
  });

  test("may undo more files than one patch may change", async () => {
    await open({}, { "slipway/policy.yaml": POLICY.replace("patch_policy: {", "patch_policy: { max_files: 1,") });
    const { applyPatch } = scratch.kernel.features;
    await applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "two") });
    await applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/ünï code.txt", "one", "two") });
    expect((await revert(["src/a.txt", "src/ünï code.txt"])).restored).toHaveLength(2);
  });

  test("is answered from the record when it is repeated", async () => {
    await open();
    await changed();
    const call = callAs();
    const first = await revert(["src/a.txt"], "baseline", call);
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "four") });
    expect(await revert(["src/a.txt"], "baseline", call)).toEqual(first);
    expect(feature.file("src/a.txt")).toBe("four\n");
  });

  test("that was killed after its files were written is completed by its repeat", async () => {
    await open();
    await changed();
    const before = await feature.row();
    const input = { ...LETTERS, files: ["src/a.txt", "src/new.txt"], tag: "baseline" };
    expect(killAfterEffect(scratch, "revertFiles", "killed", input)).toBe("SIGKILL");
    expect(feature.file("src/a.txt")).toBe("one\n");
    expect(await feature.row()).toEqual(before);
    const reverted = await revert(input.files, input.tag, { ...callAs(), operationId: "killed" });
    expect(reverted).toMatchObject({ restored: ["src/a.txt"], deleted: ["src/new.txt"] });
    expect((await feature.row()).tree).toBe(reverted.tree);
    expect([feature.file("src/a.txt"), existsSync(at("src/new.txt"))]).toEqual(["one\n", false]);
  });

  test("that was killed and is not repeated leaves the recorded files to the next operation", async () => {
    await open();
    await changed();
    expect(killAfterEffect(scratch, "revertFiles", "killed", { ...LETTERS, files: ["src/a.txt"], tag: "baseline" })).toBe("SIGKILL");
    expect(await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" })).toMatchObject({ passed: true });
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("whose record fails is undone in the worktree", async () => {
    let sabotaged = false;
    await open({
      observe({ phase, name }) {
        if (phase === "effect_done" && name === "repo.revert_files" && sabotaged) throw new Error("a bug");
      },
    });
    await changed();
    sabotaged = true;
    await expect(revert(["src/a.txt"])).rejects.toThrow("a bug");
    expect(feature.file("src/a.txt")).toBe("two\n");
  });
});

describe("a revert is refused", () => {
  test.each([
    ["../letters-2/x", "path_out_of_bounds"],
    ["/etc/passwd", "path_out_of_bounds"],
    ["src/../src/a.txt", "path_out_of_bounds"],
    ["src/./a.txt", "path_out_of_bounds"],
    [".git/x", "path_out_of_bounds"],
    ["src/.GIT/x", "path_out_of_bounds"],
    ["", "path_out_of_bounds"],
    ["src", "input_path_not_found"],
  ])("for the path %j", async (path, code) => {
    await open();
    await changed();
    const before = await feature.row();
    await expect(revert(["src/a.txt", path])).rejects.toMatchObject({ code });
    expect(await feature.row()).toEqual(before);
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test.each(["--x", "a..b", "-f", "base line", "refs/tags/baseline", "main", "HEAD", "baseline^{}"])("with the tag %j", async (tag) => {
    await open();
    await changed();
    await expect(revert(["src/a.txt"], tag)).rejects.toMatchObject({
      code: tag === "main" ? "operation_conflict" : "schema_validation_failed",
    });
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("with a tag that is not at the base of the feature", async () => {
    await open();
    await changed();
    scratch.git("commit", "--quiet", "--allow-empty", "--message=later");
    scratch.git("tag", "later");
    await expect(revert(["src/a.txt"], "later")).rejects.toMatchObject({
      code: "operation_conflict",
      details: { found: scratch.git("rev-parse", "main").trim(), expected: (await feature.row()).base_commit },
    });
  });

  test("for a changed file outside the plan, all of it", async () => {
    await open();
    await changed();
    scratch.write(".worktrees/letters/src/b.txt", "by hand\n");
    await scratch.kernel.features.adopt(callAs("person", "kim"), LETTERS);
    const before = await feature.row();
    const call = callAs();
    await expect(revert(["src/a.txt", "src/b.txt"], "baseline", call)).rejects.toMatchObject({
      code: "policy_violation",
      details: { violations: [{ path: "src/b.txt", rule: "not_in_files_modify" }] },
    });
    expect(await feature.row()).toEqual(before);
    // Not even for a moment: the files are anchored before they are written.
    expect(scratch.git("for-each-ref", `refs/slipway/run1/${call.operationId}`)).toBe("");
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("if a lock that the plan needs expires while the files are written, and they are put back", async () => {
    let sql: string | null = null;
    const policy = POLICY.replace("db_migrations]", 'db_migrations, "protected:src"]').replace(
      "protected_areas: [slipway]",
      "protected_areas: [src]",
    );
    scratch = await openScratchKernel(
      { ...FILES, "slipway/policy.yaml": policy },
      {
        observe({ phase, name }) {
          if (phase !== "effect_done" || name !== "repo.revert_files" || sql === null) return;
          const database = new DatabaseSync(layoutAt(scratch.root).database);
          database.exec(sql);
          database.close();
        },
      },
    );
    feature = lettersOn(scratch);
    await feature.init();
    await scratch.kernel.features.acquireLock(callAs(), { ...LETTERS, resource: "protected:src" });
    await scratch.kernel.features.submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters", PLAN) });
    await scratch.kernel.features.tagBase(callAs(), { ...LETTERS, tag: "baseline" });
    await changed();
    const before = await feature.row();
    sql = "UPDATE locks SET expires_at = 0";
    await expect(revert(["src/a.txt"])).rejects.toMatchObject({ code: "lock_not_held" });
    expect(await feature.row()).toEqual(before);
    expect(feature.file("src/a.txt")).toBe("two\n");
  });

  test("while the worktree contains a person's edit", async () => {
    await open();
    await changed();
    scratch.write(".worktrees/letters/src/a.txt", "by hand\n");
    await expect(revert(["src/a.txt"])).rejects.toMatchObject({ code: "worktree_edited" });
    expect(feature.file("src/a.txt")).toBe("by hand\n");
  });

  test("if a folder that is not named is where a file would be restored", async () => {
    await open({}, { "src/thing": "a file\n" });
    await scratch.kernel.features.updatePlan(callAs(), {
      ...LETTERS,
      expected_plan_version: 1,
      plan_json: {
        ...(await scratch.kernel.features.plan("letters")),
        plan_version: 2,
        revision_of: 1,
        revision_reason: "more files",
        files: { create: ["src/thing/inside.txt"], modify: [], delete: ["src/thing"] },
      },
    });
    const unified_diff = patchOf(() => {
      rmSync(join(scratch.root, "src/thing"));
      put("src/thing/inside.txt", "x\n");
    });
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
    await expect(revert(["src/thing"])).rejects.toMatchObject({ code: "operation_conflict", details: { paths: ["src/thing/inside.txt"] } });
    expect(feature.file("src/thing/inside.txt")).toBe("x\n");
    expect(await revert(["src/thing", "src/thing/inside.txt"])).toMatchObject({
      restored: ["src/thing"],
      deleted: ["src/thing/inside.txt"],
    });
    expect(feature.file("src/thing")).toBe("a file\n");
  });

  test("to an agent, and for an ended feature", async () => {
    await open();
    await expect(revert(["src/a.txt"], "baseline", callAs("builder"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    await scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "failed", reason: "given up" });
    await expect(revert(["src/a.txt"])).rejects.toMatchObject({ code: "invalid_status_transition" });
  });
});
