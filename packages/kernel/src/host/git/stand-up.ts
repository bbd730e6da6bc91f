import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { removeBeneath } from "../files/remove-tree.ts";
import { branchHead, moveBranch } from "./branch.ts";
import { pointerOf } from "./unfinished-worktree.ts";
import { assertPointer, placeOf, readRecord, registeredPath, replaceFile, type GitPlace } from "./worktree-record.ts";
import { isFolder, listRegistrations, unregister } from "./registration.ts";
import type { Repository } from "./repository.ts";
import { buildWorktree, reconnect } from "./worktree.ts";

/** A feature's recorded worktree and branch. The files on disk are only a projection of the record. */
export interface RecordedWorktree {
  readonly featureId: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly tree: string;
  readonly path: string;
}

/**
 * Recreates missing parts of a feature's worktree, its registration and its branch. Does not touch existing files or move an
 * existing branch, which may also be checked out elsewhere. Returns what was done.
 */
export async function standUp(repo: Repository, recorded: RecordedWorktree): Promise<string[]> {
  const { branch, baseCommit, featureId } = recorded;
  const place = await placeOf(repo, recorded.path);
  const done: string[] = [];
  const found = await branchHead(repo, branch);
  if (found === null) {
    await moveBranch(repo, branch, baseCommit, null);
    done.push(`recreated the branch ${branch} at ${baseCommit}`);
  }
  if (await dropDanglingPointer(repo, place)) done.push(`removed the .git file of ${place.path}, whose registration is missing`);
  const registrations = await listRegistrations(repo);
  const mine = registrations.find(({ path }) => path === place.path) ?? (await reconnect(repo, place, registrations));
  const whole = mine !== undefined && (await isFolder(place.path)) && (await assertPointer(repo, place.path)) !== null;
  if (whole) return done;
  // A missing worktree stays in git's list after `git worktree lock`: unregister it, then recreate it.
  if (mine !== undefined && !(await isFolder(place.path))) await unregister(repo, mine.id);
  const record = (await readRecord(repo, place.key)) ?? { featureId, branch, path: place.path, baseCommit };
  await buildWorktree(repo, place, { featureId, branch, path: place.path, expectedTree: recorded.tree, head: found ?? baseCommit, record });
  done.push(`recreated the worktree ${place.path}`);
  return done;
}

/** Removes a pointer to a deleted registration. A pointer to anywhere else is not the harness's. */
async function dropDanglingPointer(repo: Repository, { path }: GitPlace): Promise<boolean> {
  if (!(await isDangling(repo, path))) return false;
  removeBeneath(path, ".git");
  return true;
}

async function isDangling(repo: Repository, path: string): Promise<boolean> {
  const [, target = ""] = /^gitdir: (.+)\n?$/.exec(await pointerOf(path)) ?? [];
  const id = basename(target);
  return target === join(repo.commonDir, "worktrees", id) && (await registeredPath(repo, id)) === undefined;
}

export interface WorktreeHead {
  /** The id of the registration. */
  readonly id: string;
  /** The checked-out branch; null if HEAD is detached. */
  readonly branch: string | null;
  readonly commit: string | null;
}

/** What the worktree has checked out; null if the worktree is missing. Reads files without starting git if that suffices. */
export async function readHead(repo: Repository, worktree: string): Promise<WorktreeHead | null> {
  const { path } = await placeOf(repo, worktree);
  const id = (await isFolder(path)) && !(await isDangling(repo, path)) ? await assertPointer(repo, path) : null;
  if (id === null) return null;
  const head = textIfAny(join(repo.commonDir, "worktrees", id, "HEAD")).trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  return { id, branch, commit: branch === null ? head || null : await headCommit(repo, branch) };
}

/** The commit of a branch, without starting git if the ref is a loose file. */
export async function headCommit(repo: Repository, branch: string): Promise<string | null> {
  const loose = textIfAny(join(repo.commonDir, "refs", "heads", branch)).trim();
  return /^[0-9a-f]{40,64}$/.test(loose) ? loose : branchHead(repo, branch);
}

/** Points HEAD at the branch; touches no file and no index. */
export async function pointHead(repo: Repository, id: string, branch: string): Promise<void> {
  await replaceFile(join(repo.commonDir, "worktrees", id, "HEAD"), `ref: refs/heads/${branch}\n`);
}

function textIfAny(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
