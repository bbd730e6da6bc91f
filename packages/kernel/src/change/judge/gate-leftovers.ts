import { existsSync, readFileSync } from "node:fs";
import { removeBeneath, removeTree } from "../../host/files/remove-tree.ts";
import { pathsBeside } from "../../host/git/snapshot.ts";
import { moveFormerWorkingFiles, placeNote } from "../work/former-working-files.ts";
import { dropLargest, MOST_LEFT_BY_STEP } from "../work/large-changes.ts";
import { recordRepairs } from "../work/repair.ts";
import { makeReadable, rewriteTouched, captureTree } from "../work/reset-tree.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { reconcileWorktree, pathsIfReconciled } from "../work/reconcile-worktree.ts";
import type { Feature } from "../feature/store.ts";

/**
 * Where steps write to the worktree itself, resets it to its tree after each step, so that no step sees changes of another. Tracked files
 * are restored; files that a step added, also ignored ones, are removed. Files that existed before the gate, such as a person's `.env`,
 * stay. Requires a reconciled worktree.
 */
export async function withReset<T>(
  dependencies: FeatureDependencies,
  feature: Feature,
  { step, at }: { readonly step: string; readonly at: number },
  gate: (resetTree: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const note = dependencies.layout.besideNote(feature.id);
  moveFormerWorkingFiles(dependencies.layout, feature.id);
  // An existing note comes from a gate whose process was killed.
  const interrupted = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as string[]) : null;
  const before = interrupted ?? (await untrackedPaths(dependencies, feature)) ?? [];
  if (interrupted !== null) await removeLeftovers(dependencies, feature, before);
  placeNote(note, JSON.stringify(before));
  let captured = captureTree(feature.worktree, (await pathsIfReconciled(dependencies, feature)) ?? []);
  let resets = 0;
  const resetTree = async () => {
    makeReadable(feature.worktree, captured, before);
    const touched = captured.touched();
    const after = `${step}/after-${++resets}`;
    const dropped = await dropLargest(dependencies, feature, MOST_LEFT_BY_STEP);
    if (dropped !== null) await recordRepairs(dependencies, feature.id, after, [`reset the worktree after a step: ${dropped}`]);
    await reconcileWorktree(dependencies, feature, after, at);
    await rewriteTouched(dependencies, feature, touched);
    await removeLeftovers(dependencies, feature, before);
    captured = captureTree(feature.worktree, (await pathsIfReconciled(dependencies, feature)) ?? []);
  };
  try {
    return await gate(resetTree);
  } finally {
    // Otherwise the note stays for the next gate, which reconciles the worktree first.
    if ((await pathsIfReconciled(dependencies, feature)) !== null) await removeTree(note);
  }
}

/** Requires a reconciled worktree. */
async function removeLeftovers(dependencies: FeatureDependencies, feature: Feature, before: readonly string[]): Promise<void> {
  const known = new Set(before);
  const now = (await untrackedPaths(dependencies, feature)) ?? [];
  for (const path of now) if (!known.has(path)) removeBeneath(feature.worktree, path);
}

function untrackedPaths({ repository, layout }: FeatureDependencies, { id, worktree, tree }: Feature): Promise<readonly string[] | null> {
  return pathsBeside(repository, worktree, tree, { indexFile: layout.indexFile(id) });
}
