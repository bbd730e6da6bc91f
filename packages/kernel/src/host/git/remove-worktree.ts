import { rename } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeWithin } from "../files/remove-tree.ts";
import { deleteBranch } from "./branch.ts";
import { isFolder, listRegistrations, unregister } from "./registration.ts";
import type { Repository } from "./repository.ts";
import { takeSnapshot, type SnapshotOptions } from "./snapshot.ts";
import { hiddenGitFolders } from "./tree-listing.ts";
import { dropRecord, enterScratch, leaveScratch, placeOf, readRecord, type GitPlace } from "./worktree-record.ts";

export interface RemovalRequest extends SnapshotOptions {
  readonly path: string;
  /** Also delete the branch, if another ref contains its commits. */
  readonly deleteBranch?: boolean;
  /** Discard what a tree cannot contain, such as the git folder of an embedded repository. */
  readonly discardLeftOut?: boolean;
  readonly withinMs?: number;
}

export interface RemovedWorktree {
  readonly removed: boolean;
  readonly branchDeleted: boolean;
  /** What could not be removed in time; the next process that reconciles removes it. */
  readonly setAside?: string;
}

const REMOVED_WITHIN_MS = 60_000;

/** Removes a worktree with its ignored files. Refuses if a ref does not reach its bytes, apart from those of `except`. */
export async function removeWorktree(repo: Repository, request: RemovalRequest): Promise<RemovedWorktree> {
  const place = await placeOf(repo, request.path);
  const mine = (await listRegistrations(repo)).find(({ path }) => path === place.path);
  const branch = mine?.branch ?? (await readRecord(repo, place.key))?.branch;
  const present = await isFolder(place.path);
  let setAside: string | undefined;
  if (present) {
    await assertKept(repo, place, request);
    // By one rename, so that a kill leaves the worktree complete or gone.
    const trash = await enterScratch(place, "trash");
    await rename(place.path, join(trash, "worktree"));
    if (await removeWithin(join(trash, "worktree"), request.withinMs ?? REMOVED_WITHIN_MS)) await leaveScratch(place, trash);
    else setAside = trash;
  }
  if (mine !== undefined) await unregister(repo, mine.id);
  const branchDeleted = request.deleteBranch === true && branch !== undefined && (await deleteBranch(repo, branch));
  await dropRecord(repo, place.key);
  return { removed: present, branchDeleted, ...(setAside === undefined ? {} : { setAside }) };
}

async function assertKept(repo: Repository, place: GitPlace, request: RemovalRequest): Promise<void> {
  const { tree, leftOut: met } = await takeSnapshot(repo, place.path, request);
  const leftOut = [...new Set([...met, ...(await hiddenGitFolders(await repo.vault({ workTree: place.path }), place.path))])];
  const kept = new Set((await repo.git.text(["for-each-ref", "--format=%(tree)", "refs/slipway", "refs/heads"])).split("\n"));
  const problem = !kept.has(tree)
    ? "it contains bytes that no ref reaches"
    : leftOut.length > 0 && request.discardLeftOut !== true
      ? `a tree cannot contain ${leftOut.slice(0, 5).join(", ")}`
      : null;
  if (problem === null) return;
  throw new SlipwayError("delete_refused", `The worktree ${place.path} was not removed: ${problem}.`, {
    file: place.path,
    left_out: leftOut,
    suggested_next_actions: ["Anchor the worktree first, or move the files that you want to keep."],
  });
}
