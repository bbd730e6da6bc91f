import { existsSync } from "node:fs";
import { join } from "node:path";
import { anchorTree } from "../git/anchor.ts";
import { bringFiles, pathsIfAt, snapshotTree } from "../git/snapshot.ts";
import { ensureWorktree } from "../git/worktree.ts";
import type { Rooms } from "./rooms.ts";
import type { Feature } from "./store.ts";

/**
 * Makes the worktree hold exactly the tree the feature's row names. Bytes that do not belong there (a half-applied patch
 * after a kill, files a gate wrote, an edit by hand) are anchored first, so nothing is lost. `alsoRight` is a tree that an
 * earlier attempt of the same operation may have left. Returns the tree that is there now.
 */
export async function settle(rooms: Rooms, feature: Feature, step: string, at: number, alsoRight?: string): Promise<string> {
  return (await settledPaths(rooms, feature)) === null ? putRight(rooms, feature, step, at, alsoRight) : feature.tree;
}

/** The paths of the feature's tree if the worktree holds exactly it; null where `putRight` is needed. */
export async function settledPaths(rooms: Rooms, feature: Feature): Promise<readonly string[] | null> {
  if (!existsSync(join(feature.worktree, ".git"))) await rebuild(rooms, feature);
  return pathsIfAt(rooms.repository, feature.worktree, feature.tree, { indexFile: rooms.layout.indexFile(feature.id) });
}

/** `settle` for a worktree that was seen not to be settled. */
export async function putRight(rooms: Rooms, feature: Feature, step: string, at: number, alsoRight?: string): Promise<string> {
  const { repository, layout } = rooms;
  const { id, worktree, tree } = feature;
  const indexFile = layout.indexFile(id);
  const found = await snapshotTree(repository, worktree, { indexFile });
  if (found === tree || found === alsoRight) return found;
  const kept = { run: feature.run_id, step: `${step}/found`, message: `${id}: bytes found before ${step}`, at };
  await anchorTree(repository, worktree, found, kept);
  await bringFiles(repository, worktree, { from: found, to: tree }, { indexFile });
  return tree;
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
