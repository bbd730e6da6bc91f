import { anchorTree } from "../../host/git/anchor.ts";
import { rebaseWorktree } from "../../host/git/worktree.ts";
import { declareWriting } from "../../host/git/worktree-writes.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { reconcileWorktree } from "../work/reconcile-worktree.ts";
import type { Feature } from "./store.ts";

interface BaseAndTree {
  readonly base: string;
  readonly tree: string;
}
/** Moves the worktree and its branch to another base, with the given content. The previous tree is anchored first. */
export async function moveWorktree(
  dependencies: FeatureDependencies,
  feature: Feature,
  onto: BaseAndTree,
  step: string,
  at: number,
): Promise<void> {
  const { repository, layout } = dependencies;
  const { id, run_id: run, worktree: path, branch, tree: from } = feature;
  await reconcileWorktree(dependencies, feature, step, at);
  await anchorTree(repository, path, from, { run, step: `${step}/before`, message: `${id}: before the base moved`, at });
  await declareWriting(repository, path, { from, to: onto.tree, base: onto.base });
  await rebaseWorktree(repository, { path, branch, onto: onto.base, from, tree: onto.tree, indexFile: layout.indexFile(id) });
}
