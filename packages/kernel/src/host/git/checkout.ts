import { renameSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTree } from "../files/remove-tree.ts";
import { blobAtSide, checkoutGit, fingerprint, indexEntries, type Checkout } from "./checkout-view.ts";
import { at, isFileMode, obstacles, placeFiles, statAt } from "./files.ts";
import { listed } from "./tree-listing.ts";
import { lockNamedIn } from "./locks.ts";
import { leaveScratch } from "./worktree-record.ts";
import { ABSENT, type RawEntry } from "./raw.ts";
import { listRegistrations } from "./registration.ts";
import type { Repository } from "./repository.ts";
import { stderrOf, wasKilled, type Git } from "./runner.ts";

export interface TreeChange {
  readonly from: string;
  readonly to: string;
  readonly entries: readonly RawEntry[];
}

/** The changes to a checkout, after a check that no work of the user would be lost. */
export interface Advance {
  readonly checkout: Checkout;
  readonly change: TreeChange;
  /** Entries whose file still has its old content. The other files already have their new one. */
  readonly pending: readonly RawEntry[];
  readonly seen: ReadonlyMap<string, string>;
}

/** The user's working trees in which a branch is checked out. */
export async function findCheckouts(repo: Repository, branch: string): Promise<Checkout[]> {
  const head = await repo.git.run(["symbolic-ref", "-q", "HEAD"], { allowExit: [1] });
  const here = head.stdout.toString("utf8").trim() === `refs/heads/${branch}` ? [{ root: repo.root, gitDir: repo.gitDir }] : [];
  const linked = (await listRegistrations(repo))
    .filter((other) => other.branch === branch)
    .map(({ id, path }) => ({ root: path, gitDir: join(repo.commonDir, "worktrees", id) }))
    .filter(({ gitDir }) => gitDir !== repo.gitDir);
  const present = await Promise.all(linked.map(async (checkout) => ((await exists(checkout.root)) ? [checkout] : [])));
  return [...here, ...present.flat()];
}

/** Writes nothing. Throws checkout_in_the_way with every file that is in the way. */
export async function planAdvance(repo: Repository, checkout: Checkout, change: TreeChange): Promise<Advance> {
  await assertNothingUnderWay(checkout);
  const git = await checkoutGit(repo, checkout);
  const index = await indexEntries(git);
  const blocked = new Set(await obstacles(checkout.root, change.entries));
  const pending: RawEntry[] = [];
  const seen = new Map<string, string>();
  for (const entry of change.entries) {
    const { mode, oid, skipped } = index.get(entry.path) ?? { mode: ABSENT, oid: "", skipped: false };
    const isOld = mode === entry.oldMode && (mode === ABSENT || oid === entry.oldOid);
    const isNew = mode === entry.newMode && (mode === ABSENT || oid === entry.newOid);
    if (!isOld && !isNew) blocked.add(entry.path);
    const found = await statAt(checkout.root, entry.path);
    // Excluded by a sparse checkout, and stays excluded.
    if (skipped && found === undefined) continue;
    const side = await blobAtSide(repo, git, checkout, entry, found);
    if (side === "old" && (isFileMode(entry.oldMode) || isFileMode(entry.newMode))) pending.push(entry);
    if (side === "neither") blocked.add(entry.path);
    seen.set(entry.path, fingerprint(found));
  }
  if (blocked.size > 0) throw inTheWay(checkout, [...blocked].toSorted());
  return { checkout, change, pending, seen };
}

export type Undo = () => Promise<void>;

/** Updates the index first, because its lock may fail, then the files, each by a rename. Adds the undo of each step to `undo`. */
export async function performAdvance(repo: Repository, advance: Advance, staging: string, undo: Undo[]): Promise<void> {
  const { checkout, change, pending, seen } = advance;
  const git = await checkoutGit(repo, checkout);
  await stageCheckout(repo, checkout, staging, change.to, pending);
  for (const { path } of pending) {
    if (fingerprint(await statAt(checkout.root, path)) !== seen.get(path)) throw inTheWay(checkout, [path]);
  }
  const undoIndex = () => moveIndex(git, checkout, change.to, change.from);
  try {
    await moveIndex(git, checkout, change.from, change.to);
  } catch (error) {
    // A killed git may still have updated the index.
    if (wasKilled(error)) undo.push(undoIndex);
    throw error;
  }
  undo.push(undoIndex);
  undo.push(await placeFiles(checkout.root, staging, pending));
  await git.run(["update-index", "-q", "--refresh"], { allowExit: [1] });
}

/** Inside the checkout's ignored `.slipway`, to be on the same file system. */
export function stagingFor({ root }: Checkout, id: string): string {
  return join(root, ".slipway", "tmp", "stage", id);
}

export async function dropStaging(checkout: Checkout, id: string): Promise<void> {
  const scratch = join(checkout.root, ".slipway", "tmp");
  await leaveScratch({ scratch }, join(scratch, "stage", id));
}

/** Lets git write the new files, with the user's line endings, into the staging folder. */
async function stageCheckout(
  repo: Repository,
  checkout: Checkout,
  staging: string,
  tree: string,
  entries: readonly RawEntry[],
): Promise<void> {
  await mkdir(staging, { recursive: true });
  const indexFile = join(staging, "index");
  const git = await checkoutGit(repo, checkout, indexFile);
  await git.run(["read-tree", "--end-of-options", tree]);
  const written = entries.map((entry, position) => ({ entry, position })).filter(({ entry }) => isFileMode(entry.newMode));
  await git.run(["checkout-index", `--prefix=${staging}/files/`, "-z", "--stdin"], {
    input: listed(written.map(({ entry }) => entry.path)),
  });
  for (const { entry, position } of written) renameSync(at(`${staging}/files`, entry.path), `${staging}/${position}`);
  await removeTree(indexFile);
}

/**
 * Updates the index of a worktree after its branch got the commit of its files, so that `git status` is clean. Touches no files.
 * Skips an index that is locked: a git of the person is using it.
 */
export async function alignIndex(repo: Repository, worktree: string, commit: string): Promise<void> {
  const mine = (await listRegistrations(repo)).find(({ path }) => path === worktree);
  if (mine === undefined || !(await exists(worktree))) return;
  const git = await checkoutGit(repo, { root: worktree, gitDir: join(repo.commonDir, "worktrees", mine.id) });
  try {
    await git.run(["read-tree", "--end-of-options", commit]);
    await git.run(["update-index", "-q", "--refresh"], { allowExit: [1] });
  } catch (error) {
    if (lockNamedIn(stderrOf(error)) === undefined) throw error;
  }
}

const LOCK_ATTEMPTS = 20;
const LOCK_WAIT_MS = 100;

/** Updates the entries that differ between the trees, and keeps everything else that the user has staged. */
async function moveIndex(git: Git, checkout: Checkout, from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await git.run(["read-tree", "-i", "-m", "--end-of-options", from, to]);
      return;
    } catch (error) {
      if (wasKilled(error)) throw error;
      const lock = lockNamedIn(stderrOf(error));
      if (lock === undefined)
        throw inTheWay(
          checkout,
          [...stderrOf(error).matchAll(/Entry '(.+)' (?:not uptodate|would be)/g)].map(([, path = ""]) => path),
          error,
        );
      if (attempt === LOCK_ATTEMPTS) throw inTheWay(checkout, [lock], error);
      await sleep(LOCK_WAIT_MS);
    }
  }
}

const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/** Refuses a checkout with an unfinished merge or rebase. */
export async function assertNothingUnderWay(checkout: Checkout): Promise<void> {
  for (const name of UNDER_WAY) {
    if (await exists(join(checkout.gitDir, name))) throw inTheWay(checkout, [join(checkout.gitDir, name)]);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function inTheWay({ root }: Checkout, files: readonly string[], cause?: unknown): SlipwayError {
  const shown = files.slice(0, 20).join(", ") || "its index";
  const details = {
    checkout: root,
    files,
    suggested_next_actions: [
      `In ${root}: commit, stash or move away the files named, or finish the merge or rebase in progress; then merge again.`,
    ],
  };
  return new SlipwayError(
    "checkout_in_the_way",
    `The base branch is checked out in ${root}, and this is in the way there: ${shown}. Nothing was merged or changed.`,
    details,
    { cause },
  );
}
