import { anchor } from "../git/anchor.ts";
import { rebaseWorktree } from "../git/worktree.ts";
import type { Rooms } from "./rooms.ts";
import { settle } from "./settle.ts";
import type { Feature } from "./store.ts";

interface Standing {
  readonly base: string;
  readonly tree: string;
}

/** Puts the worktree and its branch on another base, with the given content. What was there until now is anchored first. */
export async function moveWorktree(rooms: Rooms, feature: Feature, onto: Standing, step: string, at: number): Promise<void> {
  const { repository, layout } = rooms;
  const { id, run_id: run, worktree: path, branch, base_commit: from } = feature;
  const indexFile = layout.indexFile(id);
  await settle(rooms, feature, step, at);
  await anchor(repository, path, { run, step: `${step}/before`, message: `${id}: before the base moved`, at, indexFile });
  await rebaseWorktree(repository, { path, branch, from, onto: onto.base, tree: onto.tree, indexFile });
}
