import { blobIdAt, statAt } from "./files.ts";
import { ABSENT, rawBetween, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { moveFiles, takeSnapshot, worktreeChanged, type IndexedTree, type SnapshotOptions } from "./snapshot.ts";

/**
 * Changes a worktree from one tree to another, completely or not at all. Refuses if a file matches neither the first tree
 * nor, after a kill half-way, the second.
 */
export async function applyTree(
  repo: Repository,
  worktree: string,
  fromTree: string,
  toTree: string,
  options: SnapshotOptions = {},
): Promise<readonly RawEntry[]> {
  const git = await repo.vault();
  const { tree: found } = await takeSnapshot(repo, worktree, options);
  const wanted = await rawBetween(git, fromTree, toTree);
  const target = new Map(wanted.map((entry) => [entry.path, entry]));
  const drift = found === fromTree ? [] : await rawBetween(git, fromTree, found);
  const strange = drift
    .filter(({ path, newMode, newOid }) => target.get(path)?.newMode !== newMode || target.get(path)?.newOid !== newOid)
    .map(({ path }) => path);
  const arrived = new Set(drift.map(({ path }) => path));
  if (strange.length > 0) throw worktreeChanged(worktree, strange);
  await applyEntries(
    repo,
    worktree,
    wanted.filter(({ path }) => !arrived.has(path)),
    options,
  );
  return wanted;
}

/** The same for a worktree in which every entry was just seen on its old side. */
export async function applyEntries(
  repo: Repository,
  worktree: string,
  entries: readonly RawEntry[],
  options: SnapshotOptions = {},
  arrival?: IndexedTree,
): Promise<void> {
  const inTheWay = await ignoredInTheWay(repo, worktree, entries);
  if (inTheWay.length > 0) throw worktreeChanged(worktree, inTheWay);
  await moveFiles(repo, worktree, entries, options, arrival);
}

/** A patch may name an ignored file, which a snapshot does not contain. */
async function ignoredInTheWay(repo: Repository, worktree: string, entries: readonly RawEntry[]): Promise<string[]> {
  const blocked: string[] = [];
  for (const { path, oldMode, newOid } of entries) {
    const found = oldMode === ABSENT ? await statAt(worktree, path) : undefined;
    if (found === undefined || found.isDirectory()) continue;
    if ((await blobIdAt(worktree, path, found, repo.objectFormat)) !== newOid) blocked.push(path);
  }
  return blocked;
}
