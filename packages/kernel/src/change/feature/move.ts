import { anchorTree } from "../../host/git/anchor.ts";
import { rebaseWorktree } from "../../host/git/worktree.ts";
import { declareWriting } from "../../host/git/writing.ts";
import type { Rooms } from "./dependencies.ts";
import { settle } from "../work/settle.ts";
import type { Feature } from "./store.ts";

interface Standing {
  readonly base: string;
  readonly tree: string;
}

/** Puts the worktree and its branch on another base, with the given content. What was there until now is anchored first. */
export async function moveWorktree(rooms: Rooms, feature: Feature, onto: Standing, step: string, at: number): Promise<void> {
  const { repository, layout } = rooms;
  const { id, run_id: run, worktree: path, branch, tree: from } = feature;
  await settle(rooms, feature, step, at);
  await anchorTree(repository, path, from, { run, step: `${step}/before`, message: `${id}: before the base moved`, at });
  await declareWriting(repository, path, { from, to: onto.tree, base: onto.base });
  await rebaseWorktree(repository, { path, branch, onto: onto.base, from, tree: onto.tree, indexFile: layout.indexFile(id) });
}
