import { join } from "node:path";
import { silenceDrivers } from "./inert-config.ts";
import { assertPointer, openPlace, swapped } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { createGit } from "./runner.ts";

export interface WorktreeStatus {
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  /** `git status --porcelain`, version 1. */
  readonly porcelain: string;
}

/** The status of a worktree against its branch. Writes nothing: refreshes no index and creates no object. */
export async function worktreeStatus(repo: Repository, worktree: string): Promise<WorktreeStatus> {
  const { path } = await openPlace(repo, worktree);
  const id = await assertPointer(repo, path);
  if (id === null) throw swapped(path, "has no .git file");
  const { executable } = repo;
  const gitDir = join(repo.commonDir, "worktrees", id);
  const git = createGit({ executable, gitDir, workTree: path, cwd: path, config: silenceDrivers(repo.config.keys()) });
  const [head, porcelain] = await Promise.all([
    git.run(["symbolic-ref", "-q", "--short", "HEAD"], { allowExit: [1] }),
    git.text(["status", "--porcelain=v1", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"]),
  ]);
  return { branch: head.stdout.toString("utf8").trim() || null, porcelain };
}
