import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killAfterEffect } from "../testing/kill-after-effect.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel({ ".gitignore": "*.log\n" });
  feature = lettersOn(scratch);
  await feature.planned();
  await patch(replaceLine("src/a.txt", "one", "two"));
  await patch(addFile("src/new.txt", "new"));
});
afterEach(() => scratch.close());

const patch = (unified_diff: string) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
const stage = (call = callAs()) => scratch.kernel.features.stage(call, LETTERS);
const inWorktree = (...args: string[]) => scratch.git("-C", ".worktrees/letters", ...args);

test("staging shows the whole recorded change in the worktree's own index, as `git add -A` would", async () => {
  const { tree } = await feature.row();
  expect(inWorktree("diff", "--staged", "--name-status")).toBe("");
  expect(await stage()).toEqual({
    tree,
    files: [
      { path: "src/a.txt", status: "M" },
      { path: "src/new.txt", status: "A" },
    ],
  });
  expect(inWorktree("diff", "--staged", "--name-status")).toBe("M\tsrc/a.txt\nA\tsrc/new.txt\n");
  expect(inWorktree("write-tree").trim()).toBe(tree);
  expect(inWorktree("diff", "--name-only")).toBe("");
});

test("staging adds nothing but the recorded tree", async () => {
  scratch.write(".worktrees/letters/seen.log", "ignored\n");
  await stage();
  expect(inWorktree("diff", "--staged", "--name-only")).not.toContain("seen.log");
  scratch.write(".worktrees/letters/src/b.txt", "by hand\n");
  await expect(stage()).rejects.toMatchObject({ code: "worktree_edited" });
  expect(inWorktree("diff", "--staged", "--name-only")).toBe("src/a.txt\nsrc/new.txt\n");
});

test("a later change is staged by a later call, and a repeat of the first changes nothing", async () => {
  const call = callAs();
  const first = await stage(call);
  await patch(replaceLine("src/a.txt", "two", "three"));
  expect(await stage(call)).toEqual(first);
  expect(inWorktree("diff", "--name-only")).toBe("src/a.txt\n");
  await stage();
  expect(inWorktree("show", ":src/a.txt")).toBe("three\n");
  expect(inWorktree("diff", "--name-only")).toBe("");
});

test("staging that was killed before it was recorded is completed by its repeat", async () => {
  expect(killAfterEffect(scratch, "stage", "killed", LETTERS)).toBe("SIGKILL");
  expect((await stage({ ...callAs(), operationId: "killed" })).files).toHaveLength(2);
  expect(inWorktree("diff", "--staged", "--name-only")).toBe("src/a.txt\nsrc/new.txt\n");
});

test("patches, gates and the candidate work on a staged worktree as before", async () => {
  await stage();
  await patch(replaceLine("src/a.txt", "two", "three"));
  expect(await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" })).toMatchObject({ passed: true });
  expect(await scratch.kernel.features.candidate(callAs(), LETTERS)).toMatchObject({ conflicts: [] });
});

test("an index that another git uses is an error that can be retried", async () => {
  const lock = join(scratch.root, ".git/worktrees/letters/index.lock");
  writeFileSync(lock, "");
  const call = callAs();
  await expect(stage(call)).rejects.toMatchObject({ code: "worktree_changed", details: { retryable: true } });
  rmSync(lock);
  expect((await stage(call)).files).toHaveLength(2);
});

test("staging is refused to agents, and for an ended feature", async () => {
  await expect(stage(callAs("builder"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  await scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "failed", reason: "given up" });
  await expect(stage()).rejects.toMatchObject({ code: "invalid_status_transition" });
});
