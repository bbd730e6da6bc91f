import { checkoutGit } from "./checkout-view.ts";
import type { Repository } from "./repository.ts";

export interface CheckoutFacts {
  /** `git status --porcelain` in the user's checkout. */
  readonly status: string;
  /** `git rev-parse --abbrev-ref HEAD`. */
  readonly branch: string;
}

/** What the user has in the main checkout. Nothing there is changed, the index included. */
export async function checkoutFacts(repo: Repository): Promise<CheckoutFacts> {
  const git = await checkoutGit(repo, { root: repo.root, gitDir: repo.gitDir });
  const [status, branch] = await Promise.all([
    git.text(["status", "--porcelain=v1", "--untracked-files=normal", "--ignore-submodules=all"]),
    git.run(["rev-parse", "--abbrev-ref", "HEAD"], { allowExit: [128] }),
  ]);
  return { status, branch: branch.stdout.toString("utf8").trim() };
}
