import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../../host/files/remove-tree.ts";
import type { GateRequest } from "../gates/run.ts";
import { pathsOf } from "../../../host/git/listing.ts";
import type { Repository } from "../../../host/git/repository.ts";

const STALE_MS = 24 * 60 * 60 * 1000;

/** Where the tree lies, and how a gate without layers brings it back after a step. */
export type TreePlace = Required<Pick<GateRequest, "worktree" | "bringBack" | "trackedPaths">>;

/** A folder outside the checkout that holds exactly this tree, for as long as the work takes. */
export async function withTree<T>(
  { repository, stateHome, name, tree }: { repository: Repository; stateHome: string; name: string; tree: string },
  work: (place: TreePlace) => Promise<T>,
): Promise<T> {
  const folder = join(stateHome, "trials");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder);
  const place = join(folder, createHash("sha256").update(`${repository.root}\0${name}`).digest("hex").slice(0, 24));
  await removeTree(place);
  const worktree = join(place, "tree");
  const git = await repository.vault({ workTree: worktree, indexFile: join(place, "index") });
  const bringBack = async () => {
    await removeTree(worktree);
    await mkdir(worktree, { recursive: true, mode: 0o700 });
    await git.run(["read-tree", "--end-of-options", tree]);
    await git.run(["checkout-index", "--all", "--force"]);
  };
  try {
    await bringBack();
    return await work({ worktree, bringBack, trackedPaths: () => pathsOf(git, tree) });
  } finally {
    await removeTree(place);
  }
}

/** What a killed process has left. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > STALE_MS) await removeTree(join(folder, name));
  }
}
