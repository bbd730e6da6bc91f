import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GitOptions } from "./runner.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";
import { ensureWorktree } from "./worktree.ts";

const requestFor = (user: Scratch, id: string) => ({
  featureId: id,
  branch: id,
  baseRef: "refs/heads/main",
  path: join(user.root, ".worktrees", id),
  protectedBranches: ["main"],
});

test("a worktree that another process is registering does not disturb others", async () => {
  const user = scratch();
  const repo = await user.open();
  user.git("branch", "other");
  const half = join(user.root, ".git", "worktrees", "other");
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "HEAD"), "ref: refs/heads/other\n");
  writeFileSync(join(half, "gitdir"), `${join(user.root, "elsewhere", ".git")}\n`);
  writeFileSync(join(half, "commondir"), "");
  let failures = 0;
  const run = async (args: readonly string[], options?: GitOptions) => {
    try {
      return await repo.git.run(args, options);
    } catch (error) {
      // The other process continues after git has failed on its registration once.
      failures++;
      writeFileSync(join(half, "commondir"), "../..\n");
      throw error;
    }
  };
  const made = await ensureWorktree({ ...repo, git: { ...repo.git, run } }, requestFor(user, "login"));
  expect(failures).toBe(1);
  expect(made.created).toBe(true);
  expect(user.git("worktree", "list", "--porcelain")).toContain(`worktree ${made.path}\n`);
});

test("many worktrees at once", async () => {
  const user = scratch();
  const repo = await user.open();
  const ids = Array.from({ length: 12 }, (_, index) => `feature_${index}`);
  const made = await Promise.all(ids.map((id) => ensureWorktree(repo, requestFor(user, id))));
  expect(made.every(({ created }) => created)).toBe(true);
  expect(user.git("worktree", "list", "--porcelain").match(/^branch refs\/heads\/feature_/gm)).toHaveLength(12);
});
