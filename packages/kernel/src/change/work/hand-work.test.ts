import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checksOf } from "../judge/evidence/checks.ts";
import { declareWriting, readWriting } from "../../host/git/worktree-writes.ts";
import { handWorkIn } from "./reconcile-worktree.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
  await feature.built();
  await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
});
afterEach(() => scratch.close());

const inWorktree = (...args: string[]) => scratch.git("-C", ".worktrees/letters", ...args).trim();
const edit = (path: string, text: string) => scratch.write(join(".worktrees/letters", path), text);
const commitAll = (message: string) => {
  inWorktree("add", "--all");
  inWorktree("commit", "--quiet", "--message", message);
  return inWorktree("rev-parse", "HEAD");
};
const gate = () => scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
const adopt = () => scratch.kernel.features.adopt(callAs("person", "kim"), LETTERS);
const setAside = () => scratch.kernel.features.setAside(callAs("person", "kim"), LETTERS);
const treeOf = (name: string) => scratch.git("rev-parse", `${name}^{tree}`).trim();
const show = (name: string) => scratch.git("show", name);

async function refusal() {
  const error: unknown = await gate().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error as { code: string; message: string; details: Record<string, unknown> };
}

/** Worktree, branch and index match the record. */
async function isSettled() {
  const row = await feature.row();
  expect(scratch.git("rev-parse", "letters").trim()).toBe(row.base_commit);
  expect(inWorktree("symbolic-ref", "HEAD")).toBe("refs/heads/letters");
  expect(inWorktree("diff", "--cached", "--name-only")).toBe("");
  expect(await gate()).toMatchObject({ passed: true, tree: row.tree });
}

describe("a person's work in a worktree", () => {
  test("stops the next operation, is anchored, and is reported file by file", async () => {
    const before = await feature.row();
    edit("src/a.txt", "by hand\n");
    edit("notes/todo.txt", "by hand\n");
    const error = await refusal();
    expect(error).toMatchObject({
      code: "worktree_edited",
      details: {
        files: [{ path: "notes/todo.txt" }, { path: "src/a.txt" }],
        files_in_all: 2,
        commits: [],
        outside_plan: ["notes/todo.txt"],
        kept_branch: "slipway/kept/letters-1",
      },
    });
    expect(error.message).toContain("2 files edited by hand in ");
    expect(show(`${String(error.details["anchor"])}:notes/todo.txt`)).toBe("by hand\n");
    expect(feature.file("src/a.txt")).toBe("by hand\n");
    expect(await feature.row()).toEqual(before);
  });

  test("is reported commit by commit, with files edited since", async () => {
    const first = commitAll("the build so far");
    expect((await refusal()).message).toContain("1 commit by hand in ");
    edit("src/b.txt", "committed\n");
    const commit = commitAll("more");
    edit("src/b.txt", "by hand\n");
    const error = await refusal();
    expect(error.message).toContain("1 file edited by hand and 2 commits by hand in ");
    const author = "kim <kim@localhost>";
    expect(error.details["commits"]).toEqual([
      { commit, author, subject: "more" },
      { commit: first, author, subject: "the build so far" },
    ]);
    expect(scratch.git("rev-parse", `${String(error.details["anchor"])}^`).trim()).toBe(commit);
  });

  test("can be read without a trace", async () => {
    const seen = async () => handWorkIn({ repository: scratch.kernel.repository, layout: scratch.records.layout }, await feature.row());
    expect(await seen()).toBeNull();
    edit("src/b.txt", "by hand\n");
    const refs = scratch.git("for-each-ref");
    expect(await seen()).toMatchObject({ edits: [{ path: "src/b.txt" }], commits: [] });
    expect(scratch.git("for-each-ref")).toBe(refs);
    rmSync(join(scratch.root, ".worktrees/letters"), { recursive: true });
    expect(await seen()).toBeNull();
  });

  test("is not read while the person is in a merge", async () => {
    const commit = inWorktree("rev-parse", "HEAD");
    writeFileSync(join(scratch.root, ".git/worktrees/letters/MERGE_HEAD"), `${commit}\n`);
    expect((await refusal()).code).toBe("checkout_in_the_way");
  });
});

describe("adopted", () => {
  test("edits become the feature's content, and earlier results do not apply to it", async () => {
    edit("src/a.txt", "by hand\n");
    edit("src/more.txt", "by hand\n");
    const adopted = await adopt();
    expect(adopted).toMatchObject({ files: ["src/a.txt", "src/more.txt"], commits: [] });
    const row = await feature.row();
    expect(row.tree).toBe(adopted.tree);
    expect(show(`${row.tree}:src/a.txt`)).toBe("by hand\n");
    expect(JSON.parse(row.gates)).toEqual({ plan: "pass" });
    const checks = await checksOf(scratch.records.database.db, LETTERS);
    expect(checks.at(-1)).toMatchObject({ kind: "by_hand", tree: row.tree, counts: { files: ["src/a.txt", "src/more.txt"] } });
    await expect(scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "qa", reason: "done" })).rejects.toMatchObject({
      code: "invalid_status_transition",
    });
    expect(JSON.stringify((await scratch.kernel.features.qaIndex("letters")).pending)).toContain("src/more.txt");
    await isSettled();
  });

  test("a commit becomes content, stays reachable, and the branch is reset to its base", async () => {
    edit("src/a.txt", "committed\n");
    const commit = commitAll("mine");
    const { tree, commits } = await adopt();
    expect([tree, commits.length]).toEqual([treeOf(commit), 1]);
    expect(scratch.git("for-each-ref", `--points-at=${commit}`, "refs/slipway")).not.toBe("");
    await isSettled();
  });

  test("a commit on a detached HEAD becomes content, and the branch is checked out again", async () => {
    inWorktree("checkout", "--quiet", "--detach");
    edit("src/b.txt", "detached\n");
    const commit = commitAll("detached");
    expect(await adopt()).toMatchObject({ tree: treeOf(commit), commits: [{ commit }] });
    await isSettled();
  });

  test("a commit made elsewhere on the branch counts if the files are unchanged", async () => {
    const tree = treeOf("main");
    const commit = scratch.git("commit-tree", "-p", "main", "-m", "back to the start", tree).trim();
    scratch.git("update-ref", "refs/heads/letters", commit);
    expect(await adopt()).toMatchObject({ tree, files: [] });
    expect(feature.file("src/a.txt")).toBe("one\n");
    await isSettled();
  });

  test("without edits the feature does not change", async () => {
    const before = await feature.row();
    expect(await adopt()).toEqual({ tree: null, files: [], commits: [], kept_branches: [] });
    expect(await setAside()).toEqual({ branch: null, commit: null });
    expect(await feature.row()).toMatchObject({ tree: before.tree, gates: before.gates, version: before.version });
  });
});

describe("set aside", () => {
  test("edits are kept on a visible branch, and the worktree is reset to the record", async () => {
    edit("src/a.txt", "by hand\n");
    rmSync(join(scratch.root, ".worktrees/letters/src/b.txt"));
    inWorktree("add", "--all");
    const { branch, commit } = await setAside();
    expect([branch, scratch.git("rev-parse", "slipway/kept/letters-1").trim()]).toEqual(["slipway/kept/letters-1", commit]);
    expect(show("slipway/kept/letters-1:src/a.txt")).toBe("by hand\n");
    expect(scratch.git("ls-tree", "-r", "--name-only", "slipway/kept/letters-1")).not.toContain("src/b.txt");
    expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["two\n", "one\n"]);
    await isSettled();
    edit("src/a.txt", "once more\n");
    expect((await setAside()).branch).toBe("slipway/kept/letters-2");
  });

  test("a commit that contains everything is kept unchanged, with its author", async () => {
    edit("src/a.txt", "by hand\n");
    const commit = commitAll("mine");
    expect(await setAside()).toEqual({ branch: "slipway/kept/letters-1", commit });
    await isSettled();
  });

  test("a commit on a detached HEAD is kept, and the branch is checked out again", async () => {
    inWorktree("checkout", "--quiet", "--detach");
    edit("src/b.txt", "detached\n");
    const commit = commitAll("detached");
    scratch.git("branch", "slipway");
    expect(await setAside()).toEqual({ branch: "slipway-kept/letters-1", commit });
    await isSettled();
  });

  test("a branch that is checked out elsewhere is kept there", async () => {
    edit("src/a.txt", "by hand\n");
    const commit = commitAll("mine");
    scratch.git("worktree", "add", "--quiet", "--force", ".worktrees/mine", "letters");
    await setAside();
    expect(scratch.git("rev-parse", "letters").trim()).toBe(commit);
    expect(scratch.git("-C", ".worktrees/mine", "status", "--porcelain")).toBe("");
    expect(inWorktree("diff", "--cached", "--name-only")).toBe("");
    expect(feature.file("src/a.txt")).toBe("two\n");
    expect(await gate()).toMatchObject({ passed: true });
  });
});

describe("interrupted work of the harness is not a person's work", () => {
  const declare = async (to: string | null) => {
    const { worktree, tree, base_commit: base } = await feature.row();
    await declareWriting(scratch.kernel.repository, worktree, { from: tree, to, base });
  };

  test("files of a killed patch are removed", async () => {
    const blob = scratch.git("hash-object", "-w", "check.sh").trim();
    inWorktree("update-index", "--cacheinfo", `100644,${blob},src/a.txt`);
    await declare(inWorktree("write-tree"));
    inWorktree("reset", "--quiet");
    edit("src/a.txt", scratch.read("check.sh"));
    expect(await gate()).toMatchObject({ passed: true });
    expect(feature.file("src/a.txt")).toBe("two\n");
    expect(await readWriting(scratch.kernel.repository, (await feature.row()).worktree)).toBeNull();
  });

  test("another file, which the patch did not write, is a person's", async () => {
    await declare(treeOf("main"));
    edit("src/a.txt", "one\n");
    edit("src/b.txt", "by hand\n");
    expect((await refusal()).details["files"]).toMatchObject([{ path: "src/b.txt" }]);
  });

  test("files of a killed gate are removed and stay reachable", async () => {
    await declare(null);
    edit("leftover.txt", "by a gate\n");
    expect(await gate()).toMatchObject({ passed: true });
    expect(existsSync(join(scratch.root, ".worktrees/letters/leftover.txt"))).toBe(false);
    const anchors = scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
    expect(anchors.filter((ref) => ref.includes("found")).map((ref) => show(`${ref}:leftover.txt`))).toContain("by a gate\n");
  });

  test("a note from before the recorded tree does not count", async () => {
    const { worktree, base_commit: base } = await feature.row();
    await declareWriting(scratch.kernel.repository, worktree, { from: treeOf("main"), to: null, base });
    edit("src/b.txt", "by hand\n");
    expect((await refusal()).code).toBe("worktree_edited");
    expect(await scratch.kernel.features.setAside(callAs(), LETTERS)).toMatchObject({ branch: "slipway/kept/letters-1" });
    await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "two", "three") });
    expect(feature.file("src/a.txt")).toBe("three\n");
  });
});

test("an edit after an interrupted gate is kept on a branch, because it cannot be told from the gate's files", async () => {
  const { worktree, tree, base_commit } = await feature.row();
  await declareWriting(scratch.kernel.repository, worktree, { from: tree, to: null, base: base_commit });
  edit("src/a.txt", "by hand\n");
  await isSettled();
  expect(show("slipway/kept/letters-1:src/a.txt")).toBe("by hand\n");
});

test("files that a running gate writes go to no branch", async () => {
  await gate();
  expect(scratch.git("branch", "--list", "slipway/kept/*")).toBe("");
});
