import { SlipwayError } from "@slipway/durable/errors";
import { isAnchored } from "../../host/git/branch.ts";
import { alignIndex } from "../../host/git/checkout.ts";
import { anchorFound, isByHand, lookFor, type Found } from "../../host/git/hand-work.ts";
import { holdsTree } from "../../host/git/holds-tree.ts";
import { keepOnBranch, nextKeptBranch } from "../../host/git/kept-branch.ts";
import type { Repository } from "../../host/git/repository.ts";
import { bringFiles, pathsIfAt, snapshotTree, worktreeChanged } from "../../host/git/snapshot.ts";
import { headCommit, pointHead, readHead, standUp, type Recorded } from "../../host/git/stand-up.ts";
import { bringBranch } from "../../host/git/worktree.ts";
import { declareWriting, endWriting } from "../../host/git/writing.ts";
import { plannedFiles } from "../plan/schema.ts";
import { recordRepairs } from "./repair.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";

/**
 * Brings the worktree and the branch to what the feature's row says. What is gone is made again; what the harness itself left
 * half done is undone. A person's edits and commits are anchored and refused as `worktree_edited`: only a person decides on them.
 */
export async function settle(rooms: Rooms, feature: Feature, step: string, at: number): Promise<void> {
  if (await isSettled(rooms, feature)) return;
  const found = await look(rooms, feature, step);
  if (isByHand(found)) throw await editedByHand(rooms, feature, found, step, at);
  await recordRepairs(rooms, feature.id, step, await putRight(rooms, feature, found, step, at));
}

/** Whether worktree and branch are exactly as recorded; false where `settle` has to look closer. */
async function isSettled({ repository, layout }: Rooms, feature: Feature): Promise<boolean> {
  if (!(await isOnBranch(repository, feature))) return false;
  return holdsTree(repository, feature.worktree, feature.tree, { indexFile: layout.indexFile(feature.id) });
}

/** The paths of the feature's tree if worktree and branch are exactly as recorded, else null. In a large tree much slower than `settle`. */
export async function settledPaths({ repository, layout }: Rooms, feature: Feature): Promise<readonly string[] | null> {
  if (!(await isOnBranch(repository, feature))) return null;
  return pathsIfAt(repository, feature.worktree, feature.tree, { indexFile: layout.indexFile(feature.id) });
}

async function isOnBranch(repository: Repository, { worktree, branch, base_commit }: Feature): Promise<boolean> {
  const head = await readHead(repository, worktree);
  if (head === null || head.branch !== branch) return false;
  return head.commit === base_commit || (head.commit !== null && (await isAnchored(repository, head.commit)));
}

/** What a person has done by hand, for somebody who only looks; null when there is nothing, or no worktree. */
export async function handWorkIn({ repository, layout }: Pick<Rooms, "repository" | "layout">, feature: Feature): Promise<Found | null> {
  if ((await readHead(repository, feature.worktree)) === null) return null;
  const found = await lookFor(repository, recordedOf(feature), { indexFile: layout.indexFile(feature.id) });
  return isByHand(found) ? found : null;
}

/** What stands there, once what was gone is there again. */
export async function look(rooms: Rooms, feature: Feature, step: string): Promise<Found> {
  const { repository, layout } = rooms;
  const recorded = recordedOf(feature);
  await recordRepairs(rooms, feature.id, step, await standUp(repository, recorded));
  return lookFor(repository, recorded, { indexFile: layout.indexFile(feature.id) });
}

/**
 * Files and branch back to the record. The caller has seen that nothing of a person's is among them, or has kept it. Returns what was
 * done to branch and HEAD.
 */
export async function putRight(rooms: Rooms, feature: Feature, found: Found, step: string, at: number): Promise<string[]> {
  const done: string[] = [];
  const { repository, layout } = rooms;
  const { id, run_id: run, worktree, branch, base_commit, tree } = feature;
  if (found.tree !== tree) {
    const kept = { run, step: `${step}/found`, message: `${id}: bytes found before ${step}`, at };
    const { commit } = await anchorFound(repository, recordedOf(feature), { ...found, heads: [] }, kept);
    if (found.gateCutOff && !gatesUnderWay.has(worktree)) {
      const name = await keepOnBranch(repository, id, commit);
      done.push(`a gate was cut off in the worktree: kept what it, or you, left there on the branch ${name}`);
    }
    const options = { indexFile: layout.indexFile(id) };
    if ((await snapshotTree(repository, worktree, options)) !== found.tree) throw worktreeChanged(worktree, ["edited a moment ago"]);
    await bringFiles(repository, worktree, { from: found.tree, to: tree }, options);
  }
  const head = await headCommit(repository, branch);
  const isOurs = head !== null && (head === base_commit || (await isAnchored(repository, head)));
  const checkedOut = await readHead(repository, worktree);
  if (!isOurs || checkedOut?.branch !== branch) {
    await putBranchBack(rooms, feature, isOurs ? head : base_commit);
    if (!isOurs && (await headCommit(repository, branch)) === base_commit) done.push(`put the branch ${branch} back, to ${base_commit}`);
    if (checkedOut !== null && checkedOut.branch !== branch) done.push(`checked the branch ${branch} out again`);
  }
  if (!gatesUnderWay.has(worktree)) await endWriting(repository, worktree);
  return done;
}

/** The branch where it belongs, unless it is checked out elsewhere, too; and here checked out, with the index of what it then names. */
export async function putBranchBack({ repository }: Rooms, { branch, worktree }: Feature, to: string): Promise<void> {
  await bringBranch(repository, branch, worktree, to);
  const checkedOut = await readHead(repository, worktree);
  if (checkedOut !== null && checkedOut.branch !== branch) await pointHead(repository, checkedOut.id, branch);
  await unstage(repository, branch, worktree);
}

/** The index is for the person who types `git status`: what was put away is not to come back with their next commit. */
export async function unstage(repository: Repository, branch: string, worktree: string): Promise<void> {
  const head = await headCommit(repository, branch);
  if (head !== null) await alignIndex(repository, worktree, head);
}

/** Worktrees in which a gate of this process writes: it is brought back after each step, and goes on writing. */
const gatesUnderWay = new Set<string>();

/** For a gate that runs in the worktree and may write anything there: what is found after it, or after a kill under way, is its own. */
export async function whileGateWrites<T>(
  rooms: Rooms,
  feature: Feature,
  { step, at }: { readonly step: string; readonly at: number },
  gate: () => Promise<T>,
): Promise<T> {
  const { repository } = rooms;
  const { worktree, tree: from, base_commit: base } = feature;
  await declareWriting(repository, worktree, { from, to: null, base });
  const after = async () => {
    await settle(rooms, feature, `${step}/after`, at);
    await endWriting(repository, worktree);
  };
  gatesUnderWay.add(worktree);
  try {
    const seen = await gate();
    await after();
    return seen;
  } catch (error) {
    // What matters is how the gate ended; if this fails, too, the next operation on the feature does it.
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
}: Feature): Recorded {
  return { featureId, branch, baseBranch, baseCommit, tree, path };
}

const MOST_SHOWN = 20;

async function editedByHand(rooms: Rooms, feature: Feature, found: Found, step: string, at: number): Promise<SlipwayError> {
  const { repository, db } = rooms;
  const { id, run_id: run, worktree } = feature;
  const message = `${id}: a person's work, found before ${step}`;
  const { ref } = await anchorFound(repository, recordedOf(feature), found, { run, step: `${step}/by-hand`, message, at });
  const plan = await acceptedPlan(db, id);
  const planned = plan === null ? null : new Set(plannedFiles(plan).map(({ path }) => path));
  const files = found.edits.map(({ path, status }) => ({ path, status }));
  const kept_branch = await nextKeptBranch(repository, id);
  return new SlipwayError("worktree_edited", `${inWords(found)} in ${worktree}, which Slipway did not make. Nothing was changed.`, {
    feature_id: id,
    worktree,
    files: files.slice(0, MOST_SHOWN),
    files_in_all: files.length,
    commits: found.commits,
    outside_plan: planned === null ? [] : files.map(({ path }) => path).filter((path) => !planned.has(path)),
    anchor: ref,
    kept_branch,
    suggested_next_actions: [
      `Look: \`git -C ${worktree} status\`.`,
      `\`slipway adopt ${id}\` makes it part of the change, which is then gated and approved again.`,
      `\`slipway set-aside ${id}\` keeps it on the branch ${kept_branch} and goes on without it. Only a person decides.`,
    ],
  });
}

export function inWords({ edits, commits, heads }: Pick<Found, "edits" | "commits" | "heads">): string {
  const files = edits.length === 0 ? [] : [`${edits.length} ${edits.length === 1 ? "file" : "files"} edited by hand`];
  const count = Math.max(commits.length, heads.length);
  const made = count === 0 ? [] : [`${count} ${count === 1 ? "commit" : "commits"} by hand`];
  return [...files, ...made].join(" and ");
}
