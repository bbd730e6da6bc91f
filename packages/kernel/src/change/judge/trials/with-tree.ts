import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../../host/files/remove-tree.ts";
import type { GateRequest } from "../gates/run.ts";
import { pathsOf } from "../../../host/git/tree-listing.ts";
import type { Repository } from "../../../host/git/repository.ts";

const STALE_MS = 24 * 60 * 60 * 1000;

/** A checked-out tree, and how a gate without layers resets it after a step. */
export type TreeCheckout = Required<Pick<GateRequest, "worktree" | "resetTree" | "trackedPaths">>;

/** A folder outside the checkout that contains exactly this tree while `work` runs. */
export async function withTree<T>(
  { repository, stateHome, name, tree }: { repository: Repository; stateHome: string; name: string; tree: string },
  work: (place: TreeCheckout) => Promise<T>,
): Promise<T> {
  const folder = join(stateHome, "trials");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder);
  const place = join(folder, createHash("sha256").update(`${repository.root}\0${name}`).digest("hex").slice(0, 24));
  await removeTree(place);
  const worktree = join(place, "tree");
  const git = await repository.vault({ workTree: worktree, indexFile: join(place, "index") });
  const resetTree = async () => {
    await removeTree(worktree);
    await mkdir(worktree, { recursive: true, mode: 0o700 });
    await git.run(["read-tree", "--end-of-options", tree]);
    await git.run(["checkout-index", "--all", "--force"]);
  };
  try {
    await resetTree();
    return await work({ worktree, resetTree, trackedPaths: () => pathsOf(git, tree) });
  } finally {
    await removeTree(place);
  }
}

/** Removes leftovers of killed processes. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats !== null && Date.now() - stats.mtimeMs > STALE_MS) await removeTree(join(folder, name));
  }
}
