import { renameSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTree } from "../files/remove-tree.ts";
import { isFileMode, obstacles, placeFiles, stageBlobs, statAt } from "./files.ts";
import { isAtTree, listed, listWorktree, trackedFiles, withoutIgnored } from "./tree-listing.ts";
import { withOwnLock } from "./locks.ts";
import { enterScratch, leaveScratch, openPlace, readRecord, type GitPlace } from "./worktree-record.ts";
import { indexInfo, rawBetween, removalInfo, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { stderrOf, type Git, type GitResult } from "./runner.ts";
import {
  afterChange,
  forgetWorktree,
  namesBeside,
  observe,
  cacheWorktree,
  lastCached,
  cachedAt,
  isUnchanged,
  untrackedNames,
} from "./fast-path/worktree-cache.ts";

export interface SnapshotOptions {
  /** The index for the stat cache; by default one of the harness. Never the worktree's own. */
  readonly indexFile?: string;
  /** Changed files that are not read: the tree has what the index has of them. */
  readonly except?: ReadonlySet<string>;
}

/** New content of a worktree: its tree and an index with it. */
export interface IndexedTree {
  readonly tree: string;
  readonly index: Uint8Array;
}

export interface Snapshot {
  readonly tree: string;
  readonly leftOut: readonly string[];
}

/** The tree of a worktree's files on disk: tracked and untracked, not ignored, byte for byte. */
export async function snapshotTree(repo: Repository, worktree: string, options: SnapshotOptions = {}): Promise<string> {
  return (await takeSnapshot(repo, worktree, options)).tree;
}

export async function takeSnapshot(repo: Repository, worktree: string, options: SnapshotOptions = {}): Promise<Snapshot> {
  const place = await openPlace(repo, worktree);
  return onIndex(repo, place, options, async (git) => {
    const { update, forget, leftOut } = await listWorktree(git, place.path);
    if (forget.length > 0) await setEntries(git, removalInfo(forget, repo.objectFormat));
    const read = options.except === undefined ? update : update.filter((path) => options.except?.has(path) !== true);
    if (read.length > 0) await readAgain(git, read);
    return { tree: (await git.text(["write-tree"])).trim(), leftOut };
  });
}

export interface FileToRead {
  readonly path: string;
  readonly bytes: number;
}

/** The files that a snapshot would read, with their sizes. */
export async function changedFiles(repo: Repository, worktree: string, options: SnapshotOptions = {}): Promise<readonly FileToRead[]> {
  const place = await openPlace(repo, worktree);
  const { update } = await onIndex(repo, place, options, (git) => listWorktree(git, place.path));
  const files: FileToRead[] = [];
  for (const path of update) files.push({ path, bytes: (await statAt(place.path, path))?.size ?? 0 });
  return files;
}

/** The paths of the tree if the worktree has exactly its files; null if not, or if only a snapshot can tell. Writes nothing. */
export async function pathsIfAt(
  repo: Repository,
  worktree: string,
  tree: string,
  options: SnapshotOptions = {},
): Promise<readonly string[] | null> {
  const cached = cachedAt(repo, worktree, tree);
  if (cached !== undefined && isUnchanged(repo, worktree, cached)) return [...cached.files.keys()];
  forgetWorktree(repo, worktree);
  const place = await openPlace(repo, worktree);
  return onIndex(repo, place, options, async (git) => {
    const files = await trackedFiles(git);
    if (files === null) return null;
    // Observe before git does: git sees a change in between, and the next observation sees a later one.
    const observed = observe(repo, worktree, tree, files);
    const [held, strange] = await Promise.all([isAtTree(git, tree), withoutIgnored(git, observed?.unknown ?? [])]);
    if (!held) return null;
    if (observed !== null && strange.length === 0) cacheWorktree(repo, worktree, observed.cached);
    return files.map(({ path }) => path);
  });
}

/**
 * The ignored paths in the folders of the tree; a folder counts as one path. For a worktree with exactly the tree's files; null
 * otherwise.
 */
export async function pathsBeside(
  repo: Repository,
  worktree: string,
  tree: string,
  options: SnapshotOptions = {},
): Promise<readonly string[] | null> {
  const cached = cachedAt(repo, worktree, tree);
  if (cached !== undefined) return namesBeside(cached);
  const paths = await pathsIfAt(repo, worktree, tree, options);
  return paths === null ? null : untrackedNames(worktree, paths);
}

/** Makes the worktree's files exactly those of the tree; ignored files stay. The caller must have anchored the current files. */
export async function restoreTree(repo: Repository, worktree: string, tree: string, options: SnapshotOptions = {}): Promise<void> {
  const { tree: found } = await takeSnapshot(repo, worktree, options);
  await bringFiles(repo, worktree, { from: found, to: tree }, options);
}

/** The same for a worktree that was just seen to have the tree `from`. */
export async function bringFiles(
  repo: Repository,
  worktree: string,
  { from, to }: { readonly from: string; readonly to: string },
  options: SnapshotOptions = {},
): Promise<void> {
  await moveFiles(repo, worktree, await rawBetween(await repo.vault(), from, to), options);
}

/** Changes files from the old to the new side of the entries, completely or not at all, and updates the private index. */
export async function moveFiles(
  repo: Repository,
  worktree: string,
  entries: readonly RawEntry[],
  options: SnapshotOptions,
  arrival?: IndexedTree,
): Promise<void> {
  if (entries.length === 0) return;
  const place = await openPlace(repo, worktree);
  const blocked = await obstacles(place.path, entries);
  if (blocked.length > 0) throw worktreeChanged(place.path, blocked);
  const cached = lastCached(repo, worktree);
  forgetWorktree(repo, worktree);
  const staged = await enterScratch(place, "stage");
  try {
    await stageBlobs(repo, staged, entries);
    await placeFiles(place.path, staged, entries);
    // Also for ignored files: a file in the tree belongs to every later snapshot.
    if (arrival === undefined) await onIndex(repo, place, options, (git) => followFiles(git, repo, entries));
    else adoptIndex(options.indexFile ?? place.indexFile, arrival.index);
  } finally {
    await leaveScratch(place, staged);
  }
  const next = cached !== undefined && arrival !== undefined ? afterChange(worktree, cached, arrival.tree, entries) : null;
  if (next !== null) cacheWorktree(repo, worktree, next);
}

function adoptIndex(indexFile: string, index: Uint8Array): void {
  writeFileSync(`${indexFile}.new`, index);
  renameSync(`${indexFile}.new`, indexFile);
}

/** Updates the stat cache of the index, and its modes if the file system has none. */
async function followFiles(git: Git, repo: Repository, entries: readonly RawEntry[]): Promise<void> {
  const telling = ["core.filemode", "core.symlinks"].every((key) => repo.config.get(key)?.toLowerCase() !== "false");
  const seen = telling ? entries.filter(({ newMode }) => isFileMode(newMode)) : [];
  const told = telling ? entries.filter(({ newMode }) => !isFileMode(newMode)) : entries;
  if (told.length > 0) await setEntries(git, indexInfo(told));
  if (seen.length > 0)
    await readAgain(
      git,
      seen.map(({ path }) => path),
    );
}

function setEntries(git: Git, input: Buffer): Promise<GitResult> {
  return git.run(["update-index", "-z", "--index-info"], { input });
}

function readAgain(git: Git, paths: readonly string[]): Promise<GitResult> {
  return git.run(["update-index", "-z", "--add", "--replace", "--stdin"], { input: listed(paths) });
}

export function worktreeChanged(worktree: string, paths: readonly string[]): SlipwayError {
  return new SlipwayError(
    "worktree_changed",
    `The worktree ${worktree} was changed since the last operation: ${paths.slice(0, 20).join(", ")}. Nothing was written.`,
    {
      file: worktree,
      paths,
      suggested_next_actions: ["Anchor the current files, restore the tree and try again (`slipway resume` does this)."],
    },
  );
}

export async function onIndex<T>(
  repo: Repository,
  place: GitPlace,
  { indexFile = place.indexFile }: SnapshotOptions,
  work: (git: Git) => Promise<T>,
): Promise<T> {
  const git = await repo.vault({ workTree: place.path, indexFile });
  await seedIndex(repo, place, indexFile, git);
  const attempt = () => withOwnLock(repo, indexFile, () => work(git));
  try {
    return await attempt();
  } catch (error) {
    // Torn by a power cut. It is only a cache and can be rebuilt from the worktree and the base tree.
    if (!/index file (?:corrupt|smaller)|bad signature|bad index version|unknown index entry format/.test(stderrOf(error))) throw error;
    await removeTree(indexFile);
    await seedIndex(repo, place, indexFile, git, true);
    return attempt();
  }
}

/** A new index starts from the base, which knows which folders are submodules. */
async function seedIndex(repo: Repository, place: GitPlace, indexFile: string, git: Git, fresh = false): Promise<void> {
  if (await exists(indexFile)) return;
  await mkdir(dirname(indexFile), { recursive: true });
  if (!fresh && (await exists(place.indexFile))) {
    await copyFile(place.indexFile, `${indexFile}.seed`);
    return rename(`${indexFile}.seed`, indexFile);
  }
  const record = await readRecord(repo, place.key);
  await git.run(["read-tree", ...(record === undefined ? ["--empty"] : ["--end-of-options", record.baseCommit])]);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
