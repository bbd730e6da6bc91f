import { statSync } from "node:fs";
import { hasUntracked, isAtTree, submodulesOf } from "./tree-listing.ts";
import { openPlace } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { onIndex, pathsIfAt, type SnapshotOptions } from "./snapshot.ts";

/** A larger index has thousands of entries, which git compares faster than this code lists and reads them. */
const LARGE_INDEX_BYTES = 400_000;

/** Whether the worktree has exactly the tree's files; false also if only a snapshot can tell. Writes nothing. */
export async function holdsTree(
  repo: Repository,
  worktree: string,
  tree: string,
  options: SnapshotOptions = {},
  largeIndexBytes = LARGE_INDEX_BYTES,
): Promise<boolean> {
  const place = await openPlace(repo, worktree);
  const index = statSync(options.indexFile ?? place.indexFile, { throwIfNoEntry: false });
  if ((index?.size ?? 0) <= largeIndexBytes) return (await pathsIfAt(repo, worktree, tree, options)) !== null;
  return onIndex(repo, place, options, async (git) => {
    const [held, strange, submodules] = await Promise.all([isAtTree(git, tree), hasUntracked(git), hasSubmodules(repo, tree)]);
    return held && !strange && !submodules;
  });
}

/** Cache: a tree never changes, and listing a large one takes as long as comparing it. */
const known = new WeakMap<Repository, Map<string, boolean>>();

async function hasSubmodules(repo: Repository, tree: string): Promise<boolean> {
  const answers = known.get(repo) ?? new Map<string, boolean>();
  known.set(repo, answers);
  const found = answers.get(tree) ?? (await submodulesOf(await repo.vault(), tree)).length > 0;
  answers.set(tree, found);
  return found;
}
