import { statSync } from "node:fs";
import { hasUntracked, isAtTree, submodulesOf } from "./tree-listing.ts";
import { openPlace } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";
import { onIndex, pathsIfAt, type SnapshotOptions } from "./snapshot.ts";

/** An index with more bytes has thousands of entries: listing and reading all of them takes longer than all that git does. */
const LARGE_INDEX_BYTES = 400_000;

/** Whether the worktree holds exactly the tree; false also when only a snapshot can tell. Writes nothing. */
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

/** A tree never changes, and listing one of thousands of files takes as long as comparing it. */
const known = new WeakMap<Repository, Map<string, boolean>>();

async function hasSubmodules(repo: Repository, tree: string): Promise<boolean> {
  const answers = known.get(repo) ?? new Map<string, boolean>();
  known.set(repo, answers);
  const found = answers.get(tree) ?? (await submodulesOf(await repo.vault(), tree)).length > 0;
  answers.set(tree, found);
  return found;
}
