import { SlipwayError } from "../../schema/errors.ts";
import { isAnchored } from "../../host/git/branch.ts";
import { alignIndex } from "../../host/git/checkout.ts";
import { anchorFound, isByHand, lookFor, type WorktreeDifference } from "../../host/git/hand-work.ts";
import { holdsTree } from "../../host/git/holds-tree.ts";
import { keepOnBranch, nextKeptBranch } from "../../host/git/kept-branch.ts";
import type { Repository } from "../../host/git/repository.ts";
import { bringFiles, pathsIfAt, snapshotTree, worktreeChanged } from "../../host/git/snapshot.ts";
import { headCommit, pointHead, readHead, standUp, type RecordedWorktree } from "../../host/git/stand-up.ts";
import { bringBranch } from "../../host/git/worktree.ts";
import { declareWriting, endWriting } from "../../host/git/worktree-writes.ts";
import { plannedFiles } from "../plan/schema.ts";
import { recordRepairs } from "./repair.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";

/**
 * Brings the worktree and the branch to the state in the feature's row. Recreates missing parts and undoes incomplete work of the harness.
 * A person's edits and commits are anchored and refused as `worktree_edited`: only a person decides about them.
 */
export async function reconcileWorktree(dependencies: FeatureDependencies, feature: Feature, step: string, at: number): Promise<void> {
  if (await isReconciled(dependencies, feature)) return;
  const difference = await inspectWorktree(dependencies, feature, step);
  if (isByHand(difference)) throw await editedByHand(dependencies, feature, difference, step, at);
  await recordRepairs(dependencies, feature.id, step, await resetWorktree(dependencies, feature, difference, step, at));
}

/** Whether worktree and branch are exactly as recorded; if not, `reconcileWorktree` inspects them. */
async function isReconciled({ repository, layout }: FeatureDependencies, feature: Feature): Promise<boolean> {
  if (!(await isOnBranch(repository, feature))) return false;
  return holdsTree(repository, feature.worktree, feature.tree, { indexFile: layout.indexFile(feature.id) });
}

/**
 * The paths of the feature's tree if worktree and branch are exactly as recorded, else null. Much slower than `reconcileWorktree` in a
 * large tree.
 */
export async function pathsIfReconciled({ repository, layout }: FeatureDependencies, feature: Feature): Promise<readonly string[] | null> {
  if (!(await isOnBranch(repository, feature))) return null;
  return pathsIfAt(repository, feature.worktree, feature.tree, { indexFile: layout.indexFile(feature.id) });
}

async function isOnBranch(repository: Repository, { worktree, branch, base_commit }: Feature): Promise<boolean> {
  const head = await readHead(repository, worktree);
  if (head === null || head.branch !== branch) return false;
  return head.commit === base_commit || (head.commit !== null && (await isAnchored(repository, head.commit)));
}

/** A person's edits, for read-only callers; null if there are none, or no worktree. */
export async function handWorkIn(
  { repository, layout }: Pick<FeatureDependencies, "repository" | "layout">,
  feature: Feature,
): Promise<WorktreeDifference | null> {
  if ((await readHead(repository, feature.worktree)) === null) return null;
  const difference = await lookFor(repository, recordedOf(feature), { indexFile: layout.indexFile(feature.id) });
  return isByHand(difference) ? difference : null;
}

/** Recreates missing parts of the worktree, then compares it with the record. */
export async function inspectWorktree(dependencies: FeatureDependencies, feature: Feature, step: string): Promise<WorktreeDifference> {
  const { repository, layout } = dependencies;
  const recorded = recordedOf(feature);
  await recordRepairs(dependencies, feature.id, step, await standUp(repository, recorded));
  return lookFor(repository, recorded, { indexFile: layout.indexFile(feature.id) });
}

/**
 * Resets files and branch to the record. The caller has checked that they contain no work of a person, or has kept it. Returns what was
 * done to branch and HEAD.
 */
export async function resetWorktree(
  dependencies: FeatureDependencies,
  feature: Feature,
  difference: WorktreeDifference,
  step: string,
  at: number,
): Promise<string[]> {
  const done: string[] = [];
  const { repository, layout } = dependencies;
  const { id, run_id: run, worktree, branch, base_commit, tree } = feature;
  if (difference.tree !== tree) {
    const anchor = { run, step: `${step}/found`, message: `${id}: bytes found before ${step}`, at };
    const { commit } = await anchorFound(repository, recordedOf(feature), { ...difference, heads: [] }, anchor);
    if (difference.gateCutOff && !gatesUnderWay.has(worktree)) {
      const name = await keepOnBranch(repository, id, commit);
      done.push(`a gate was interrupted in the worktree: kept its files, and any of yours, on the branch ${name}`);
    }
    const options = { indexFile: layout.indexFile(id) };
    if ((await snapshotTree(repository, worktree, options)) !== difference.tree) throw worktreeChanged(worktree, ["edited a moment ago"]);
    await bringFiles(repository, worktree, { from: difference.tree, to: tree }, options);
  }
  const head = await headCommit(repository, branch);
  const isOurs = head !== null && (head === base_commit || (await isAnchored(repository, head)));
  const checkedOut = await readHead(repository, worktree);
  if (!isOurs || checkedOut?.branch !== branch) {
    await resetBranch(dependencies, feature, isOurs ? head : base_commit);
    if (!isOurs && (await headCommit(repository, branch)) === base_commit) done.push(`reset the branch ${branch} to ${base_commit}`);
    if (checkedOut !== null && checkedOut.branch !== branch) done.push(`checked the branch ${branch} out again`);
  }
  if (!gatesUnderWay.has(worktree)) await endWriting(repository, worktree);
  return done;
}

/** Resets the branch, unless it is also checked out elsewhere, and checks it out here with a matching index. */
export async function resetBranch({ repository }: FeatureDependencies, { branch, worktree }: Feature, to: string): Promise<void> {
  await bringBranch(repository, branch, worktree, to);
  const checkedOut = await readHead(repository, worktree);
  if (checkedOut !== null && checkedOut.branch !== branch) await pointHead(repository, checkedOut.id, branch);
  await unstage(repository, branch, worktree);
}

/** The index is for the person who runs `git status`: files that were set aside must not return with their next commit. */
export async function unstage(repository: Repository, branch: string, worktree: string): Promise<void> {
  const head = await headCommit(repository, branch);
  if (head !== null) await alignIndex(repository, worktree, head);
}

/** Worktrees in which a gate of this process writes. They are reset after each step, and the gate continues to write. */
const gatesUnderWay = new Set<string>();

/** Runs a gate that may write anything in the worktree: all changes found after it, or after a kill during it, belong to the gate. */
export async function whileGateWrites<T>(
  dependencies: FeatureDependencies,
  feature: Feature,
  { step, at }: { readonly step: string; readonly at: number },
  gate: () => Promise<T>,
): Promise<T> {
  const { repository } = dependencies;
  const { worktree, tree: from, base_commit: base } = feature;
  await declareWriting(repository, worktree, { from, to: null, base });
  const after = async () => {
    await reconcileWorktree(dependencies, feature, `${step}/after`, at);
    await endWriting(repository, worktree);
  };
  gatesUnderWay.add(worktree);
  try {
    const result = await gate();
    await after();
    return result;
  } catch (error) {
    // The gate's error matters. If this fails too, the next operation on the feature repeats it.
    await after().catch(() => undefined);
    throw error;
  } finally {
    gatesUnderWay.delete(worktree);
  }
}

export function recordedOf({
  id: featureId,
  branch,
  base_branch: baseBranch,
  base_commit: baseCommit,
  tree,
  worktree: path,
}: Feature): RecordedWorktree {
  return { featureId, branch, baseBranch, baseCommit, tree, path };
}

const MOST_SHOWN = 20;

async function editedByHand(
  dependencies: FeatureDependencies,
  feature: Feature,
  difference: WorktreeDifference,
  step: string,
  at: number,
): Promise<SlipwayError> {
  const { repository, db } = dependencies;
  const { id, run_id: run, worktree } = feature;
  const message = `${id}: a person's work, found before ${step}`;
  const { ref } = await anchorFound(repository, recordedOf(feature), difference, { run, step: `${step}/by-hand`, message, at });
  const plan = await acceptedPlan(db, id);
  const planned = plan === null ? null : new Set(plannedFiles(plan).map(({ path }) => path));
  const files = difference.edits.map(({ path, status }) => ({ path, status }));
  const kept_branch = await nextKeptBranch(repository, id);
  return new SlipwayError("worktree_edited", `${describeHandWork(difference)} in ${worktree}, not made by Slipway. Nothing was changed.`, {
    feature_id: id,
    worktree,
    files: files.slice(0, MOST_SHOWN),
    files_in_all: files.length,
    commits: difference.commits,
    outside_plan: planned === null ? [] : files.map(({ path }) => path).filter((path) => !planned.has(path)),
    anchor: ref,
    kept_branch,
    suggested_next_actions: [
      `See the edits: \`git -C ${worktree} status\`.`,
      `\`slipway adopt ${id}\` makes them part of the change, which is then gated and approved again.`,
      `\`slipway set-aside ${id}\` moves them to the branch ${kept_branch} and continues without them. Only a person may decide.`,
    ],
  });
}

export function describeHandWork({ edits, commits, heads }: Pick<WorktreeDifference, "edits" | "commits" | "heads">): string {
  const files = edits.length === 0 ? [] : [`${edits.length} ${edits.length === 1 ? "file" : "files"} edited by hand`];
  const count = Math.max(commits.length, heads.length);
  const made = count === 0 ? [] : [`${count} ${count === 1 ? "commit" : "commits"} by hand`];
  return [...files, ...made].join(" and ");
}
