import { existsSync, readFileSync } from "node:fs";
import { removeBeneath, removeTree } from "../../host/files/remove-tree.ts";
import { pathsBeside } from "../../host/git/snapshot.ts";
import { moveFormerWorkingFiles, placeNote } from "../work/former-working-files.ts";
import { makeReadable, rewriteTouched, standAt } from "../work/reset-tree.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { settle, settledPaths } from "../work/settle.ts";
import type { Feature } from "../feature/store.ts";

/**
 * Where steps write to the worktree itself, it is brought back to its tree after each, so that no step finds what another has made of
 * it. What git tracks is restored; what a step added beside the tree, also where git ignores it, is taken away. What was there before
 * the gate (somebody's `.env`) stays. Call it with the worktree settled.
 */
export async function withReset<T>(
  rooms: Rooms,
  feature: Feature,
  { step, at }: { readonly step: string; readonly at: number },
  gate: (bringBack: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const note = rooms.layout.besideNote(feature.id);
  moveFormerWorkingFiles(rooms.layout, feature.id);
  // A note that is still there was written before a gate whose process was killed.
  const left = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as string[]) : null;
  const before = left ?? (await besideTree(rooms, feature)) ?? [];
  if (left !== null) await takeAway(rooms, feature, before);
  placeNote(note, JSON.stringify(before));
  let standing = standAt(feature.worktree, (await settledPaths(rooms, feature)) ?? []);
  let resets = 0;
  const bringBack = async () => {
    makeReadable(feature.worktree, standing, before);
    const touched = standing.touched();
    await settle(rooms, feature, `${step}/after-${++resets}`, at);
    await rewriteTouched(rooms, feature, touched);
    await takeAway(rooms, feature, before);
    standing = standAt(feature.worktree, (await settledPaths(rooms, feature)) ?? []);
  };
  try {
    return await gate(bringBack);
  } finally {
    // Otherwise the note is for the next gate, which finds the worktree settled.
    if ((await settledPaths(rooms, feature)) !== null) await removeTree(note);
  }
}

/** From a worktree that is settled. */
async function takeAway(rooms: Rooms, feature: Feature, before: readonly string[]): Promise<void> {
  const known = new Set(before);
  const now = (await besideTree(rooms, feature)) ?? [];
  for (const path of now) if (!known.has(path)) removeBeneath(feature.worktree, path);
}

function besideTree({ repository, layout }: Rooms, { id, worktree, tree }: Feature): Promise<readonly string[] | null> {
  return pathsBeside(repository, worktree, tree, { indexFile: layout.indexFile(id) });
}
