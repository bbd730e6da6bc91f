import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { removeTree } from "../../../host/files/remove-tree.ts";

/** The tree of the checkout's current files, including untracked ones. Uses a private index: the checkout is not touched. */
export async function checkoutTree({ repository, layout, configuration }: FeatureDependencies): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-checkout-"));
  try {
    const git = await repository.vault({ workTree: repository.root, indexFile: join(folder, "index") });
    const { root } = configuration.policy.worktree;
    const own = [relative(repository.root, layout.state), ...(root === undefined ? [] : [root])];
    await git.run(["add", "--all", "--", "."]);
    await git.run(["rm", "-r", "-f", "--cached", "--quiet", "--ignore-unmatch", "--", ...own]);
    return (await git.text(["write-tree"])).trim();
  } finally {
    await removeTree(folder);
  }
}
