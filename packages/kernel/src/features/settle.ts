import { existsSync } from "node:fs";
import { join } from "node:path";
import { anchor, restoreTree, snapshotTree } from "../git/snapshot.ts";
import { ensureWorktree } from "../git/worktree.ts";
import type { Rooms } from "./rooms.ts";
import type { Feature } from "./store.ts";

/**
 * Makes the worktree hold exactly the tree the feature's row names. Bytes that do not belong there (a half-applied patch
 * after a kill, files a gate wrote, an edit by hand) are anchored first, so nothing is lost. `alsoRight` is a tree that an
 * earlier attempt of the same operation may have left. Returns the tree that is there now.
 */
export async function settle(rooms: Rooms, feature: Feature, step: string, at: number, alsoRight?: string): Promise<string> {
  const { repository, layout } = rooms;
  const indexFile = layout.indexFile(feature.id);
  const { worktree } = feature;
  if (!existsSync(join(worktree, ".git"))) await rebuild(rooms, feature);
  const found = await snapshotTree(repository, worktree, { indexFile });
  if (found === feature.tree || found === alsoRight) return found;
  await anchor(repository, worktree, {
    run: feature.run_id,
    step: `${step}/found`,
    message: `${feature.id}: bytes found before ${step}`,
    at,
    indexFile,
  });
  await restoreTree(repository, worktree, feature.tree, { indexFile });
  return feature.tree;
}

/** Somebody deleted the worktree: everything that was ever acknowledged is in the object database. */
async function rebuild({ repository }: Rooms, feature: Feature): Promise<void> {
  await ensureWorktree(repository, {
    featureId: feature.id,
    branch: feature.branch,
    baseRef: feature.base_commit,
    path: feature.worktree,
    protectedBranches: [feature.base_branch],
  });
}
