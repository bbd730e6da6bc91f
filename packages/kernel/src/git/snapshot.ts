import { copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { obstacles, placeFiles, stageBlobs } from "./files.ts";
import { listed, listWorktree } from "./listing.ts";
import { withOwnLock } from "./locks.ts";
import { encodeRefPart } from "./names.ts";
import { enterScratch, leaveScratch, openPlace, readRecord, type Place } from "./place.ts";
import { indexInfo, rawBetween, removalInfo, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { stderrOf, type Git } from "./runner.ts";

export interface SnapshotOptions {
  /** The index to keep the stat cache in; one of the harness's own unless told. Never the worktree's. */
  readonly indexFile?: string;
}

export interface Snapshot {
  readonly tree: string;
  readonly leftOut: readonly string[];
}

/** The tree of a worktree's bytes: tracked and untracked, not ignored, exactly as they are on the disk. */
export async function snapshotTree(repo: Repository, worktree: string, options: SnapshotOptions = {}): Promise<string> {
  return (await takeSnapshot(repo, worktree, options)).tree;
}

export async function takeSnapshot(repo: Repository, worktree: string, options: SnapshotOptions = {}): Promise<Snapshot> {
  const place = await openPlace(repo, worktree);
  return onIndex(repo, place, options, async (git) => {
    const { update, forget, leftOut } = await listWorktree(git, place.path);
    if (forget.length > 0) await git.run(["update-index", "-z", "--index-info"], { input: removalInfo(forget, repo.objectFormat) });
    if (update.length > 0) await git.run(["update-index", "-z", "--add", "--replace", "--stdin"], { input: listed(update) });
    return { tree: (await git.text(["write-tree"])).trim(), leftOut };
  });
}

export interface AnchorInput extends SnapshotOptions {
  readonly run: string;
  readonly step: string;
  readonly message: string;
  /** Milliseconds; the commit's time, so that a repeated step makes the same commit. */
  readonly at: number;
}

export interface Anchor {
  readonly ref: string;
  readonly commit: string;
  readonly tree: string;
  readonly leftOut: readonly string[];
}

export function anchorRef(run: string, step: string): string {
  return `refs/slipway/${encodeRefPart(run)}/${encodeRefPart(step)}`;
}

/** Makes a worktree's bytes reachable under `refs/slipway/<run>/<step>`, on the disk when this resolves. An anchor that is there already is kept: as it is, or as the parent. */
export async function anchor(repo: Repository, worktree: string, input: AnchorInput): Promise<Anchor> {
  const ref = anchorRef(input.run, input.step);
  const place = await openPlace(repo, worktree);
  const [{ tree, leftOut }, earlier, record] = await Promise.all([
    takeSnapshot(repo, worktree, input),
    repo.git.text(["for-each-ref", "--format=%(objectname) %(tree)", ref]),
    readRecord(repo, place.key),
  ]);
  const [previous = "", previousTree = ""] = earlier.trim().split(" ");
  const parent = previous === "" ? record?.baseCommit : previous;
  const commit =
    previousTree === tree
      ? previous
      : await commitTree(repo, { tree, parents: parent === undefined ? [] : [parent], message: input.message, env: datedAt(input.at) });
  if (commit !== previous) {
    const move = ["update-ref", "--no-deref", "--end-of-options", ref, commit, previous === "" ? "0".repeat(commit.length) : previous];
    await withOwnLock(repo, join(repo.commonDir, ref), () => repo.git.run(move));
  }
  // Also for an anchor that was there: whoever made it may not have got this far.
  await syncFolders(repo, dirname(join(repo.commonDir, ref)));
  return { ref, commit, tree, leftOut };
}

export async function commitTree(
  repo: Repository,
  commit: { tree: string; parents: readonly string[]; message: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const git = await repo.vault();
  const message = commit.message.endsWith("\n") ? commit.message : `${commit.message}\n`;
  return (
    await git.text(["commit-tree", ...commit.parents.flatMap((parent) => ["-p", parent]), commit.tree], { input: message, env: commit.env })
  ).trim();
}

/** Makes the worktree's files exactly those of the tree. Ignored files stay. The caller has anchored what is there. */
export async function restoreTree(repo: Repository, worktree: string, tree: string, options: SnapshotOptions = {}): Promise<void> {
  const { tree: found } = await takeSnapshot(repo, worktree, options);
  await moveFiles(repo, worktree, await rawBetween(await repo.vault(), found, tree), options);
}

/** Brings files that are on the old side of the entries to the new side, wholly or not at all, and the private index with them. */
export async function moveFiles(repo: Repository, worktree: string, entries: readonly RawEntry[], options: SnapshotOptions): Promise<void> {
  if (entries.length === 0) return;
  const place = await openPlace(repo, worktree);
  const blocked = await obstacles(place.path, entries);
  if (blocked.length > 0) throw worktreeChanged(place.path, blocked);
  const staged = await enterScratch(place, "stage");
  try {
    await stageBlobs(await repo.vault(), staged, entries);
    await placeFiles(place.path, staged, entries);
    // Also what is ignored: a file the tree names belongs to every later snapshot.
    await onIndex(repo, place, options, (git) => git.run(["update-index", "-z", "--index-info"], { input: indexInfo(entries) }));
  } finally {
    await leaveScratch(place, staged);
  }
}

export function worktreeChanged(worktree: string, paths: readonly string[]): SlipwayError {
  return new SlipwayError(
    "worktree_changed",
    `The worktree ${worktree} is not as it was left: ${paths.slice(0, 20).join(", ")}. Nothing was written.`,
    {
      file: worktree,
      paths,
      suggested_next_actions: ["Anchor what is there, restore the tree and try again (`slipway resume` does this)."],
    },
  );
}

/** The environment of a commit made at a given time by the harness, or by somebody. */
export function datedAt(at: number): Record<string, string> {
  const date = `${Math.floor(at / 1000)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

async function onIndex<T>(
  repo: Repository,
  place: Place,
  { indexFile = place.indexFile }: SnapshotOptions,
  work: (git: Git) => Promise<T>,
): Promise<T> {
  const git = await repo.vault({ workTree: place.path, indexFile });
  await seedIndex(repo, place, indexFile, git);
  const attempt = () => withOwnLock(repo, indexFile, () => work(git));
  try {
    return await attempt();
  } catch (error) {
    // Torn by a power cut. It is only a cache: what it knew is in the worktree and in the base tree.
    if (!/index file (?:corrupt|smaller)|bad signature|bad index version|unknown index entry format/.test(stderrOf(error))) throw error;
    await rm(indexFile, { force: true });
    await seedIndex(repo, place, indexFile, git, true);
    return attempt();
  }
}

/** A new index starts from the base, not empty: only the base knows which folders are submodules. */
async function seedIndex(repo: Repository, place: Place, indexFile: string, git: Git, fresh = false): Promise<void> {
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

const synced = new WeakMap<Repository, number>();
const FIRST_SYNC_MS = 600_000;
const CLOCK_SLACK_MS = 2_000;

/** git syncs files but not the folders their names are in: objects/xx that changed since the last time, and the ref's folder. */
export async function syncFolders(repo: Repository, refFolder: string): Promise<void> {
  const objects = join(repo.commonDir, "objects");
  const now = Date.now();
  const since = (synced.get(repo) ?? now - FIRST_SYNC_MS) - CLOCK_SLACK_MS;
  const fanOut = (await readdir(objects)).filter((name) => name.length === 2).map((name) => join(objects, name));
  const changed = await Promise.all(fanOut.map(async (folder) => ((await stat(folder)).mtimeMs >= since ? [folder] : [])));
  await Promise.all([refFolder, dirname(refFolder), objects, ...changed.flat()].map(syncFolder));
  synced.set(repo, now);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  // A repository may keep its refs in another form than files.
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
