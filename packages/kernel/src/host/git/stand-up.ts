import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { removeBeneath } from "../files/remove-tree.ts";
import { branchHead, moveBranch } from "./branch.ts";
import { pointerOf } from "./unfinished-worktree.ts";
import { assertPointer, placeOf, readRecord, registeredPath, replaceFile, type GitPlace } from "./worktree-record.ts";
import { isFolder, listRegistrations, unregister } from "./registration.ts";
import type { Repository } from "./repository.ts";
import { buildWorktree, reconnect } from "./worktree.ts";

/** A feature's worktree and branch as its row has them. What is on the disk is only a projection of it. */
export interface RecordedWorktree {
  readonly featureId: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly tree: string;
  readonly path: string;
}

/**
 * Makes again what is gone of a feature's worktree, its registration and its branch. Files that are there are not touched, a
 * branch that is there is not moved, and whoever has it checked out elsewhere keeps it. Returns what was done.
 */
export async function standUp(repo: Repository, recorded: RecordedWorktree): Promise<string[]> {
  const { branch, baseCommit, featureId } = recorded;
  const place = await placeOf(repo, recorded.path);
  const done: string[] = [];
  const found = await branchHead(repo, branch);
  if (found === null) {
    await moveBranch(repo, branch, baseCommit, null);
    done.push(`made the branch ${branch} again, at ${baseCommit}`);
  }
  if (await dropDanglingPointer(repo, place)) done.push(`took away the .git file of ${place.path}, whose registration is gone`);
  const registrations = await listRegistrations(repo);
  const mine = registrations.find(({ path }) => path === place.path) ?? (await reconnect(repo, place, registrations));
  const whole = mine !== undefined && (await isFolder(place.path)) && (await assertPointer(repo, place.path)) !== null;
  if (whole) return done;
  // A lock of `git worktree lock` keeps git from taking a missing worktree off its list; the harness makes it again instead.
  if (mine !== undefined && !(await isFolder(place.path))) await unregister(repo, mine.id);
  const record = (await readRecord(repo, place.key)) ?? { featureId, branch, path: place.path, baseCommit };
  await buildWorktree(repo, place, { featureId, branch, path: place.path, expectedTree: recorded.tree, head: found ?? baseCommit, record });
  done.push(`made the worktree ${place.path} again`);
  return done;
}

/** A pointer to a registration that somebody has removed. One that points anywhere else is not ours to remove. */
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
  /** Of the registration. */
  readonly id: string;
  /** What is checked out: a branch, or null where HEAD is detached. */
  readonly branch: string | null;
  readonly commit: string | null;
}

/** What the worktree has checked out; null when it does not stand. Read from files alone where that is enough. */
export async function readHead(repo: Repository, worktree: string): Promise<WorktreeHead | null> {
  const { path } = await placeOf(repo, worktree);
  const id = (await isFolder(path)) && !(await isDangling(repo, path)) ? await assertPointer(repo, path) : null;
  if (id === null) return null;
  const head = textIfAny(join(repo.commonDir, "worktrees", id, "HEAD")).trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  return { id, branch, commit: branch === null ? head || null : await headCommit(repo, branch) };
}

/** The commit of a branch, without a process where it lies in a file of its own. */
export async function headCommit(repo: Repository, branch: string): Promise<string | null> {
  const loose = textIfAny(join(repo.commonDir, "refs", "heads", branch)).trim();
  return /^[0-9a-f]{40,64}$/.test(loose) ? loose : branchHead(repo, branch);
}

/** Checks the branch out again by name alone: no file and no index is touched. */
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
