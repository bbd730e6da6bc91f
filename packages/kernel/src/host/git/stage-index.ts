import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { alignIndex } from "./checkout.ts";
import { checkoutGit } from "./checkout-view.ts";
import { listRegistrations } from "./registration.ts";
import type { Repository } from "./repository.ts";

/**
 * Brings the worktree's own index to the tree, so that `git diff --staged` shows it. Touches no file of the worktree. Fails if another git
 * holds the index.
 */
export async function stageIndex(repo: Repository, worktree: string, tree: string): Promise<void> {
  await alignIndex(repo, worktree, tree);
  const mine = (await listRegistrations(repo)).find(({ path }) => path === worktree);
  if (mine !== undefined) {
    const git = await checkoutGit(repo, { root: worktree, gitDir: join(repo.commonDir, "worktrees", mine.id) });
    const compare = ["diff-index", "--cached", "--quiet", "--no-renames", "--ignore-submodules=none", "--end-of-options", tree];
    if ((await git.run(compare, { allowExit: [1] })).exitCode === 0) return;
  }
  throw new SlipwayError("worktree_changed", `The index of ${worktree} was not changed: another git uses it, or the worktree is gone.`, {
    file: worktree,
    suggested_next_actions: [`End what uses git in ${worktree}, then try again.`],
  });
}
